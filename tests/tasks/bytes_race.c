/* thrille: n=1,2 */
/* Two tasks write the same byte. */
#include <shmem.h>
static char x[8];
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 4; i++) {
#pragma omp task
        x[i / 2] = 1; /* race: a a */
    }
    shmem_finalize();
    return 0;
}
