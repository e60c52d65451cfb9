/* thrille: n=1 */
/* A captured pointer leads to the same memory. */
#include <shmem.h>
static int x;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
        int own = 1, *to = &own;
#pragma omp task firstprivate(to)
        x = *to; /* race: a */
        to = 0;
        own = 2; /* race: a */
#pragma omp taskwait
    }
    shmem_finalize();
    return 0;
}
