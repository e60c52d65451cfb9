/* thrille: n=1,2 */
/* A taskgroup waits for what is created in it, not for what was created before. */
#include <shmem.h>
static int x, y;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        x = 1; /* race: a */
#pragma omp taskgroup
        {
#pragma omp task
            y = 1;
        }
        x = 2; /* race: a */
    }
    shmem_finalize();
    return 0;
}
