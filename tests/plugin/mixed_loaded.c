int by_loaded(int *at) { return *at; }
