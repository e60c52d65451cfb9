/* thrille: n=2 */
/* Writer, readers and the next writer are ordered by their dependences; so is an undeferred task, and a taskwait that depends. */
#include <omp.h>
#include <shmem.h>

static long x, y;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        volatile long after;
        for (int i = 0; i < 4; i++) {
#pragma omp task depend(out : x)
            x = i;
            for (int j = 0; j < 3; j++) {
#pragma omp task depend(in : x)
                {
                    volatile long seen = x;
                    (void)seen;
                }
            }
        }
#pragma omp task depend(inout : x) if (0)
        x++;
#pragma omp task depend(inout : x)
        y = x++;
#pragma omp taskwait depend(in : x)
        after = y + x;
        (void)after;
    }
    shmem_finalize();
    return 0;
}
