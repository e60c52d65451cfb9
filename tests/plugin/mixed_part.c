int by_plugin(int *at) { return *at; }
