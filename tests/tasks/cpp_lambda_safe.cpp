/* thrille: n=1 */
/* A lambda by reference or by value. */
#include <shmem.h>
static int x;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
        int own = 1;
        auto set = [own] { x = own; };
#pragma omp task
        set();
        own = 2;
#pragma omp taskwait
    }
    shmem_finalize();
    return 0;
}
