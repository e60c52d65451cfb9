/* thrille: n=1 */
/* Critical in a taskloop. */
#include <shmem.h>
static int x;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop
        for (int i = 0; i < 16; i++)
            x += i; /* race: a a */
    }
    shmem_finalize();
    return 0;
}
