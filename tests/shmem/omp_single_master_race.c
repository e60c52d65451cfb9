/* thrille: n=2 */
/* What a single region does may be another thread's doing than the master's: before it, and behind it without a barrier. */
#include <omp.h>
#include <shmem.h>

static long x, y, z;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
    {
#pragma omp single nowait
        x = 1; /* race: a */
#pragma omp master
        x = 2; /* race: a */
#pragma omp barrier
#pragma omp master
        y = 1; /* race: b */
#pragma omp single
        y = 2; /* race: b */
#pragma omp single nowait
        z = 1; /* race: c */
        if (omp_get_thread_num() == 0)
            z = 2; /* race: c */
    }
    shmem_finalize();
    return 0;
}
