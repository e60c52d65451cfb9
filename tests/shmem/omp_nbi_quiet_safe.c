/* thrille: n=2 flags=-fopenmp */
/* The master completes what all threads have issued. */
#include <shmem.h>

static long table[4] = { 1, 2, 3, 4 };

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int other = 1 - shmem_my_pe();
    long copy[4] = { 0 };
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (int i = 0; i < 4; i++) {
        shmem_long_get_nbi(&copy[i], &table[i], 1, other);
    }
    shmem_quiet();
    volatile long seen = 0;
    for (int i = 0; i < 4; i++)
        seen += copy[i];
    (void)seen;
    shmem_quiet();
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
