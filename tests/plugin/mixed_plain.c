int by_nobody(int *at) { return *at; }
