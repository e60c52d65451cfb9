/* thrille: n=1 */
/* A taskloop with nogroup is not waited for. */
#include <shmem.h>
static int y, a[20];
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop nogroup
        for (int i = 0; i < 16; i++)
            a[i] = i;
#pragma omp taskwait
        y = a[3];
    }
    shmem_finalize();
    return 0;
}
