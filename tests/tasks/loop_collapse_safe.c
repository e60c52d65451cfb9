/* thrille: n=1 */
/* Taskloop over two loops. */
#include <shmem.h>
static int a[20];
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop collapse(2)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                a[4 * i + j] += 1;
    }
    shmem_finalize();
    return 0;
}
