/* thrille: n=2 */
/* Ordered regions run one after the other. */
#include <omp.h>
#include <shmem.h>

static long x, y;

int main(void)
{
    shmem_init();
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
    for (int i = 0; i < 6; i++) {
#pragma omp ordered
        {
            y++;
            x++;
        }
    }
    shmem_finalize();
    return 0;
}
