/* thrille: n=2 */
/* Two sibling tasks update the same variable. */
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
        for (int i = 0; i < 2; i++) {
#pragma omp task
            {
                meet();
                x++; /* race: a a */
            }
        }
    }
    shmem_finalize();
    return 0;
}
