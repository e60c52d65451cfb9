/* thrille: n=1 */
/* An atomic read against an atomic or a plain write. */
#include <shmem.h>
static int x, y;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        {
#pragma omp atomic write
            x = 1;
        }
#pragma omp task
        {
            int v;
#pragma omp atomic read
            v = x;
            y = v;
        }
    }
    shmem_finalize();
    return 0;
}
