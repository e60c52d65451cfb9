/* thrille: n=1 */
/* The tasks of a loop without a barrier. */
#include <shmem.h>
static int a[20], b[20];
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
#pragma omp for
        for (int i = 0; i < 8; i++)
            b[i] = a[7 - i];
    }
    shmem_finalize();
    return 0;
}
