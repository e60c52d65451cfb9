/* Code that is there twice: loads in loops of functions of their own, equally spaced ones, one in a library that is loaded later, and a store in `main` itself. */
#include <dlfcn.h>
#include <shmem.h>

enum { N = 8 };
static long row[N], table[N][N], late[N], own;
long result;

__attribute__((noinline)) static long sum(const long *of)
{
    long all = 0;
    for (int i = 0; i < N; i++)
        all += of[i];
    return all;
}

__attribute__((noinline)) static long column(int j)
{
    long all = 0;
    for (int i = 0; i < N; i++)
        all += table[i][j];
    return all;
}

int main(int argc, char **argv)
{
    (void)argc;
    shmem_init();
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library)
        return 3;
    long (*loaded)(const long *, int) = (long (*)(const long *, int))dlsym(library, "loaded");
    if (shmem_my_pe() == 0) {
        long v = 1;
        shmem_long_put(&row[3], &v, 1, 1);
        shmem_long_put(&table[5][2], &v, 1, 1);
        shmem_long_put(&late[6], &v, 1, 1);
        shmem_long_put(&own, &v, 1, 1);
    } else {
        result = sum(row);
        result += column(2);
        result += loaded(late, N);
        own = result;
    }
    shmem_barrier_all();
    shmem_finalize();
    dlclose(library);
    return 0;
}
