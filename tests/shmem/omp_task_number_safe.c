/* thrille: n=2 */
/* Each task uses the slot of the thread that runs it, as does the thread itself: no two of them at a time. */
#include <omp.h>
#include <shmem.h>

static long slot[2];

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
    {
        slot[omp_get_thread_num()] = 0;
#pragma omp single
        for (int i = 0; i < 20; i++) {
#pragma omp task
            slot[omp_get_thread_num()]++;
        }
        slot[omp_get_thread_num()]++;
    }
    shmem_finalize();
    return 0;
}
