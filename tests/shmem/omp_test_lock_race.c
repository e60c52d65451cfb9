/* thrille: n=2 flags=-fopenmp */
/* omp_test_lock that does not get the lock protects nothing. */
#include <shmem.h>
#include <omp.h>

static long x, count;

int main(void)
{
    int provided;
    omp_lock_t lock;
    shmem_init_thread(SHMEM_THREAD_FUNNELED, &provided);
    omp_init_lock(&lock);
    omp_set_lock(&lock);
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 5; i++) {
        if (!omp_test_lock(&lock))
            count++; /* race: a a */
    }
    omp_unset_lock(&lock);
    omp_destroy_lock(&lock);
    shmem_long_p(&x, count, 1 - shmem_my_pe());
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
