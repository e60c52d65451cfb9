/* thrille: n=1,2 */
/* And one after each: nothing is. */
#include <shmem.h>
static int x[8];
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 8; i++) {
#pragma omp task
        x[i % 4] = i;
        if (i == 3) {
#pragma omp taskwait
        }
    }
    shmem_finalize();
    return 0;
}
