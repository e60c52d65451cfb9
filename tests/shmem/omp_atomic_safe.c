/* thrille: n=2 */
/* Two atomic updates, of several types. */
#include <omp.h>
#include <shmem.h>

static long x;
static double y;
static char z;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp atomic
            x++;
        } else {
#pragma omp atomic
            x++;
        }
#pragma omp atomic
        y += 2;
#pragma omp atomic
        z *= 3;
    }
    shmem_finalize();
    return 0;
}
