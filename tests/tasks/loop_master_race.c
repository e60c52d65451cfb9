/* thrille: n=1 */
/* Parallel master taskloop. */
#include <shmem.h>
static int x;
int main(void)
{
    shmem_init();
#pragma omp parallel master taskloop
    for (int i = 0; i < 16; i++)
        x = i; /* race: a a */
    shmem_finalize();
    return 0;
}
