/* thrille: n=2 */
/* The sections use two variables; the barrier at the end comes before the reads. */
#include <omp.h>
#include <shmem.h>

static volatile long x, y;
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
    {
        volatile long seen;
#pragma omp sections
        {
#pragma omp section
            {
                meet();
                x = 1;
            }
#pragma omp section
            {
                meet();
                seen = y;
            }
        }
        seen = x + y;
        (void)seen;
    }
    shmem_finalize();
    return 0;
}
