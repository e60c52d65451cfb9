/* thrille: n=1 */
/* Tasks that the iterations of a loop create. */
#include <shmem.h>
static int a[20];
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
    {
#pragma omp for
        for (int i = 0; i < 8; i++) {
#pragma omp task firstprivate(i)
            a[i] = 1;
        }
    }
    shmem_finalize();
    return 0;
}
