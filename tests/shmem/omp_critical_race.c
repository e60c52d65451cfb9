/* thrille: n=2 */
/* Critical sections of two names do not exclude each other. */
#include <omp.h>
#include <shmem.h>

static volatile long x;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp critical(one)
            x++; /* race: a */
        } else {
            volatile long seen;
#pragma omp critical(two)
            seen = x; /* race: a */
            (void)seen;
        }
    }
    shmem_finalize();
    return 0;
}
