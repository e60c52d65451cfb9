/* thrille: n=2 */
/* Neither a single nor a dynamic loop orders anything at its beginning: with nowait, what a thread did before is not ordered with what the master does behind. */
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
            first = 1; /* race: a */
#pragma omp single nowait
        once = 1;
#pragma omp master
        first = 2; /* race: a */
    }
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1)
            second = 1; /* race: b */
#pragma omp for schedule(dynamic) nowait
        for (int i = 0; i < 6; i++)
            part[i] = once;
#pragma omp master
        second = 2; /* race: b */
    }
    shmem_finalize();
    return 0;
}
