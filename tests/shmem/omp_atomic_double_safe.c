/* thrille: n=2 */
/* An update of a floating-point number, which is a loop around a compare-and-exchange, and one of a kind that has no instruction: other updates, and loads behind a barrier. */
#include <shmem.h>

static double sum;
static int product = 1;

int main(void)
{
    shmem_init();
    volatile double seen = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp for
        for (int i = 0; i < 12; i++) {
#pragma omp atomic
            sum += i;
#pragma omp atomic
            product *= 3;
        }
#pragma omp master
        {
            seen = sum;
            seen = product;
        }
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
