/* thrille: n=1 */
/* The value is captured, or the variable shared. */
#include <shmem.h>
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
        int i = 1;
#pragma omp task firstprivate(i)
        i = 3;
        i = 2;
#pragma omp taskwait
    }
    shmem_finalize();
    return 0;
}
