/* thrille: n=2 */
/* An update of a floating-point number, which is a loop around a compare-and-exchange, against a plain load; and one of a kind that has no instruction. */
#include <shmem.h>

static double sum;
static int product = 1;

int main(void)
{
    shmem_init();
    volatile double seen = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp for nowait
        for (int i = 0; i < 12; i++) {
#pragma omp atomic
            sum += i; /* race: a */
#pragma omp atomic
            product *= 3; /* race: b */
        }
#pragma omp master
        {
            seen = sum; /* race: a */
            seen = product; /* race: b */
        }
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
