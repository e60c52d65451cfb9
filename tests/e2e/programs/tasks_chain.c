/* So many tasks, each created by the one before, which does not wait for it; prints the peak of its memory in kB. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static long *cells;

static void next(long left)
{
    cells[left % 1024] += 1;
    if (left > 0) {
#pragma omp task
        next(left - 1);
    }
}

int main(int argc, char **argv)
{
    shmem_init();
    cells = calloc(1024, sizeof(long));
#pragma omp parallel
#pragma omp single
    next(argc > 1 ? atol(argv[1]) : 1000);
    long sum = 0;
    for (int i = 0; i < 1024; i++)
        sum += cells[i];
    shmem_finalize();
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld\n", usage.ru_maxrss);
    return sum == 0;
}
