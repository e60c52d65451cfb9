/* thrille: n=1 */
/* Two taskloops one after the other. */
#include <shmem.h>
static int a[20], b[20];
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop
        for (int i = 0; i < 16; i++)
            a[i] = i;
#pragma omp taskloop
        for (int i = 0; i < 16; i++)
            b[i] = a[15 - i];
    }
    shmem_finalize();
    return 0;
}
