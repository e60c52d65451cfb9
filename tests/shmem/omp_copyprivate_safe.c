/* thrille: n=2 */
/* A value handed from one thread to the private variables of the others. */
#include <omp.h>
#include <shmem.h>

static long x;

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
        (void)seen;
    }
    shmem_finalize();
    return 0;
}
