/* What only some executions load: PE 0 does so if there is an argument, while PE 1 puts there. Compilers that know the variables to be there may load them before they know. */
#include <shmem.h>
#include <stdio.h>

static int chosen[64], other[64], kept[64];
static double sum[64];

__attribute__((noinline)) static int choose(int which)
{
    return which ? chosen[7] : other[9];
}

__attribute__((noinline)) static void add(int n, int kind)
{
    for (int i = 0; i < n; i++)
        if (kind == 3)
            sum[1] += i;
}

__attribute__((noinline)) static long total(int n, int all)
{
    long s = 0;
    for (int i = 0; i < n; i++) {
        s += other[i];
        if (s == all)
            s += kept[7];
    }
    return s;
}

int main(int argc, char **argv)
{
    (void)argv;
    shmem_init();
    int v = 5, racy = argc > 1;
    double w = 5;
    long s = 0;
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        s = choose(racy);
        add(20, racy ? 3 : 2);
        s += total(20, racy ? 0 : 99);
    } else {
        shmem_putmem(&chosen[7], &v, sizeof v, 0);
        shmem_putmem(&sum[1], &w, sizeof w, 0);
        shmem_putmem(&kept[7], &v, sizeof v, 0);
    }
    shmem_barrier_all();
    printf("%ld\n", s);
    shmem_finalize();
    return 0;
}
