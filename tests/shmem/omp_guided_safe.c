/* thrille: n=2 */
/* The iterations of a guided loop put to places of their own. */
#include <shmem.h>

static long x[8];

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    if (me == 0) {
#pragma omp parallel for schedule(guided) num_threads(2)
        for (long i = 0; i < 8; i++) {
            shmem_long_p(&x[i], i, 1);
            shmem_quiet();
        }
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
