/* thrille: n=2 */
/* Copies are private; a shared variable written after them is not. */
#include <omp.h>
#include <shmem.h>

static volatile long x, y;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(3)
    {
        long own;
        volatile long seen;
#pragma omp single copyprivate(own)
        {
            own = 3;
            x = 1;
        }
        seen = own + x;
        y = own; /* race: a a */
        (void)seen;
    }
    shmem_finalize();
    return 0;
}
