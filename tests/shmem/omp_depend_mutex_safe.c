/* thrille: n=2 */
/* mutexinoutset: the tasks exclude each other, in any order. */
#include <omp.h>
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 1;
        for (int i = 0; i < 4; i++) {
#pragma omp task depend(mutexinoutset : x)
            x++;
        }
#pragma omp task depend(in : x)
        {
            volatile long seen = x;
            (void)seen;
        }
    }
    shmem_finalize();
    return 0;
}
