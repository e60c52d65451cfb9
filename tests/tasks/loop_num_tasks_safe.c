/* thrille: n=1 */
/* Taskloop with num_tasks. */
#include <shmem.h>
static int a[20];
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop num_tasks(4)
        for (int i = 0; i < 16; i++)
            a[i] += i;
    }
    shmem_finalize();
    return 0;
}
