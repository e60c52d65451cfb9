/* thrille: n=2 */
/* The same with a barrier. */
#include <omp.h>
#include <shmem.h>

static long a[2];

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
    {
        int i = omp_get_thread_num();
        volatile long seen;
        a[i] = 1;
#pragma omp barrier
        seen = a[1 - i];
        (void)seen;
    }
    shmem_finalize();
    return 0;
}
