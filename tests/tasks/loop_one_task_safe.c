/* thrille: n=1 */
/* The iterations of one task of a taskloop are in order. */
#include <shmem.h>
static int x;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop num_tasks(1)
        for (int i = 0; i < 16; i++)
            x += i;
    }
    shmem_finalize();
    return 0;
}
