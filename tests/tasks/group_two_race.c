/* thrille: n=1 */
/* Two taskgroups one after the other. */
#include <shmem.h>
static int x, y;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task
            x = 1; /* race: a */
#pragma omp task
            y = x; /* race: a */
        }
    }
    shmem_finalize();
    return 0;
}
