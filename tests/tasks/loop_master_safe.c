/* thrille: n=1 */
/* Parallel master taskloop. */
#include <shmem.h>
static int a[20];
int main(void)
{
    shmem_init();
#pragma omp parallel master taskloop
    for (int i = 0; i < 16; i++)
        a[i] = i;
    shmem_finalize();
    return 0;
}
