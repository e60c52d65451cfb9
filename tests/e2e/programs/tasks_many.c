/* As many tasks next to each other as the first argument says, and as many in each other as the second; prints the peak of its memory in kB. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static long total[64];

static void nested(long depth)
{
    long below = depth;
    if (depth > 0) {
#pragma omp task shared(below)
        {
            nested(depth - 1);
            below += 1;
        }
#pragma omp taskwait
        below += 1;
    }
}

int main(int argc, char **argv)
{
    shmem_init();
    long wide = argc > 1 ? atol(argv[1]) : 1000, deep = argc > 2 ? atol(argv[2]) : 100;
#pragma omp parallel
#pragma omp single
    {
        for (long i = 0; i < wide; i++) {
#pragma omp task
            {
                long local = i, *block = malloc(64);
                *block = local;
#pragma omp atomic
                total[i % 64] += *block;
                free(block);
            }
        }
        nested(deep);
    }
    shmem_finalize();
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld\n", usage.ru_maxrss);
    return 0;
}
