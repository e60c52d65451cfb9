/* thrille: n=1,2 */
/* Iterations of a taskloop are tasks. */
#include <shmem.h>
static int x[9];
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < 8; i++)
        x[0] = i; /* race: a a */
    shmem_finalize();
    return 0;
}
