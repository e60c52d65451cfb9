/* thrille: n=2 */
/* One task puts into the neighbour, another one of there reads: no barrier is between, nor a completion. */
#include <omp.h>
#include <shmem.h>

static long x, y;

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        {
            static long one = 1;
            shmem_long_put(&x, &one, 1, 1 - shmem_my_pe()); /* race: a */
        }
#pragma omp task
        y = x; /* race: a */
    }
    shmem_finalize();
    return 0;
}
