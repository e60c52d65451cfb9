/* thrille: n=1 */
/* A task of a single region without a barrier. */
#include <shmem.h>
static int x, y;
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
    {
#pragma omp single nowait
        {
#pragma omp task
            x = 1; /* race: a */
        }
#pragma omp critical
        y += x; /* race: a */
    }
    shmem_finalize();
    return 0;
}
