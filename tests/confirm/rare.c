/* The word is 1 for a moment only; who looks at it at that moment says so. */
#include <shmem.h>
#include <stdio.h>
#include <time.h>

static long x;

static void work(long ns)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    long end = t.tv_sec * 1000000000L + t.tv_nsec + ns;
    do
        clock_gettime(CLOCK_MONOTONIC, &t);
    while (t.tv_sec * 1000000000L + t.tv_nsec < end);
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    if (me == 0) {
        work(8000000);
        shmem_long_p(&x, 1, 1); /* race: a */
        shmem_quiet();
        shmem_long_p(&x, 0, 1);
        shmem_quiet();
    }
    if (me == 1 && x == 1) /* race: a */
        printf("seen\n");
    shmem_finalize();
    return 0;
}
