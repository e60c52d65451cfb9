/* thrille: n=1,2 */
/* Each writes an element of its own. */
#include <shmem.h>
static int x[9];
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < 8; i++)
        x[i + 1] = i;
    shmem_finalize();
    return 0;
}
