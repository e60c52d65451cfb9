/* Its parts are built in different ways: this one by hooks, the others by the plugin, not at all, and as a library that is loaded later. */
#include <dlfcn.h>
#include <shmem.h>
#include <stdio.h>

int shared[8];
int by_plugin(int *at);
int by_nobody(int *at);

int main(int argc, char **argv)
{
    shmem_init();
    int me = shmem_my_pe(), other = 1 - me;
    void *library = dlopen(argc > 1 ? argv[1] : "./libloaded.so", RTLD_NOW);
    int (*loaded)(int *) = library ? (int (*)(int *))dlsym(library, "by_loaded") : NULL;
    if (!loaded) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    shmem_int_p(&shared[0], 1, other);
    shmem_int_p(&shared[1], 1, other);
    shmem_int_p(&shared[2], 1, other);
    shmem_int_p(&shared[3], 1, other);
    int sum = shared[0] + by_plugin(&shared[1]) + by_nobody(&shared[2]) + loaded(&shared[3]);
    shmem_barrier_all();
    dlclose(library);
    shmem_barrier_all();
    shmem_finalize();
    return sum > 100;
}
