/* thrille: n=2 */
/* A taskgroup waits for all descendants. */
#include <omp.h>
#include <shmem.h>

static long x;
static int here;

/* Both callers are here at the same time, so on two threads. Relaxed: orders nothing. */
static void meet(void)
{
    int n;
#pragma omp atomic
    here++;
    do {
#pragma omp atomic read
        n = here;
    } while (n < 2);
}

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        volatile long seen;
#pragma omp taskgroup
        {
#pragma omp task
            {
#pragma omp task
                {
                    meet();
                    x = 1;
                }
            }
            meet();
#pragma omp taskwait
        }
        seen = x;
        (void)seen;
    }
    shmem_finalize();
    return 0;
}
