/* thrille: n=2 */
/* Tasks that use a variable on the stack of their creator. */
#include <omp.h>
#include <shmem.h>

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        volatile long x = 0;
        for (int i = 0; i < 20; i++) {
#pragma omp task shared(x)
            x = i; /* race: a a */
        }
#pragma omp taskwait
    }
    shmem_finalize();
    return 0;
}
