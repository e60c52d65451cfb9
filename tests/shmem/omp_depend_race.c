/* thrille: n=2 */
/* Two tasks that depend on different variables. */
#include <omp.h>
#include <shmem.h>

static long x, y;
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
#pragma omp task depend(out : x)
        {
            meet();
            x = 1; /* race: a */
        }
#pragma omp task depend(in : y)
        {
            volatile long seen;
            meet();
            seen = x; /* race: a */
            (void)seen;
        }
    }
    shmem_finalize();
    return 0;
}
