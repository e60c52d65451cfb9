/* thrille: n=1 */
/* A task that throws and catches. */
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
            try {
                throw 1;
            } catch (int v) {
                x = v; /* race: a */
            }
        }
        y = x; /* race: a */
    }
    shmem_finalize();
    return 0;
}
