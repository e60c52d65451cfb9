/* thrille: n=2 */
/* Their end is a barrier, without nowait: what a thread did before them comes before what the master does behind. */
#include <omp.h>
#include <shmem.h>

static long first, second, part[6];

int main(void)
{
    shmem_init();
    long once = 0;
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 2)
            first = 1;
#pragma omp single
        once = 1;
#pragma omp master
        first = 2;
    }
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1)
            second = 1;
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 6; i++)
            part[i] = once;
#pragma omp master
        second = 2;
    }
    shmem_finalize();
    return 0;
}
