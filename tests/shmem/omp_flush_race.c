/* thrille: n=2 */
/* No flush between the data and the flag. */
#include <omp.h>
#include <shmem.h>

static long data;
static int ready;

int main(void)
{
    shmem_init();
    volatile long seen = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            data = 1; /* race: a */
#pragma omp atomic write
            ready = 1;
        } else {
            int r = 0;
            while (!r) {
#pragma omp atomic read
                r = ready;
            }
#pragma omp flush
            seen = data; /* race: a */
        }
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
