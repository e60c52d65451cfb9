/* thrille: n=1 */
/* Taskloop with grainsize. */
#include <shmem.h>
static int a[20];
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop grainsize(2)
        for (int i = 0; i < 16; i++)
            a[i] = a[i + 1]; /* race: a a */
    }
    shmem_finalize();
    return 0;
}
