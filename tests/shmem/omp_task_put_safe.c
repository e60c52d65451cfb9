/* thrille: n=2 */
/* The task is complete before the barrier of the PEs, and another one reads after it. */
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
            shmem_long_put(&x, &one, 1, 1 - shmem_my_pe());
        }
#pragma omp taskwait
        shmem_barrier_all();
#pragma omp task
        y = x;
    }
    shmem_finalize();
    return 0;
}
