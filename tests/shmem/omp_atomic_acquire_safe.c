/* thrille: n=2 */
/* An atomic write with release, seen by an atomic read with acquire. */
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
            data = 1;
#pragma omp atomic write release
            ready = 1;
        } else {
            int r = 0;
            while (!r) {
#pragma omp atomic read acquire
                r = ready;
            }
            seen = data;
        }
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
