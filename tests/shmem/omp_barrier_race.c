/* thrille: n=2 */
/* Each thread reads what the other wrote, without a barrier. */
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
        a[i] = 1; /* race: a */
        seen = a[1 - i]; /* race: a */
        (void)seen;
    }
    shmem_finalize();
    return 0;
}
