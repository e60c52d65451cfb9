/* thrille: n=2 */
/* Each task has a slot by the number of the thread that created it, which is one for all. */
#include <omp.h>
#include <shmem.h>

static long slot[2];

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        int number = omp_get_thread_num();
        for (int i = 0; i < 20; i++) {
#pragma omp task firstprivate(number)
            slot[number]++; /* race: a a */
        }
    }
    shmem_finalize();
    return 0;
}
