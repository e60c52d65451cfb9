/* thrille: n=2 */
/* The same with reductions: each thread adds to a copy of its own, and the runtime combines them. */
#include <omp.h>
#include <shmem.h>

static long x;
static double y;

int main(void)
{
    shmem_init();
    volatile long seen = 0;
#pragma omp parallel for num_threads(4) reduction(+ : x, y)
    for (int i = 0; i < 8; i++) {
        x += i;
        y += i;
    }
#pragma omp parallel num_threads(4)
    {
#pragma omp for reduction(+ : x)
        for (int i = 0; i < 8; i++)
            x += i;
        volatile long own = x;
        (void)own;
#pragma omp barrier
#pragma omp for reduction(+ : y) reduction(max : x)
        for (int i = 0; i < 8; i++) {
            x = i > x ? i : x;
            y += i;
        }
    }
    seen = x + (long)y;
    (void)seen;
    shmem_finalize();
    return 0;
}
