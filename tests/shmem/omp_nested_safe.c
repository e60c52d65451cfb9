/* thrille: n=2 */
/* Regions in a region: each inner team has its own barriers and its own end. */
#include <omp.h>
#include <shmem.h>

static volatile long a[4], x;

int main(void)
{
    shmem_init();
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        int outer = omp_get_thread_num();
        long sum = 0;
#pragma omp parallel num_threads(2)
        {
            volatile long *mine = &a[2 * outer + omp_get_thread_num()];
            *mine = 1;
#pragma omp barrier
#pragma omp atomic
            sum += a[2 * outer + 1 - omp_get_thread_num()];
        }
        a[2 * outer] = sum + a[2 * outer + 1];
#pragma omp critical
        x = sum;
    }
    shmem_finalize();
    return 0;
}
