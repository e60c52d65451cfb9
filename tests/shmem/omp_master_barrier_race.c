/* thrille: n=2 */
/* Nothing is between the put of one thread and the barrier of the master. */
#include <omp.h>
#include <shmem.h>

static long x;

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    volatile long seen = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1 && me == 0)
            shmem_long_p(&x, 1, 1); /* race: a */
#pragma omp master
        {
            shmem_barrier_all();
            if (me == 1)
                seen = x; /* race: a */
        }
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
