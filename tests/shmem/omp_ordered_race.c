/* thrille: n=2 */
/* An update outside the ordered region. */
#include <omp.h>
#include <shmem.h>

static long x, y;

int main(void)
{
    shmem_init();
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
    for (int i = 0; i < 6; i++) {
#pragma omp ordered
        y++;
        x++; /* race: a a */
    }
    shmem_finalize();
    return 0;
}
