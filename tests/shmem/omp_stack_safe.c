/* thrille: n=2 */
/* Variables on the master's stack: one under a critical, one an element each; the end of the region comes before the reads. */
#include <omp.h>
#include <shmem.h>

int main(void)
{
    shmem_init();
    long count = 0, result[3];
    volatile long seen = 0;
#pragma omp parallel num_threads(3) shared(count, result)
    {
#pragma omp critical
        count++;
        result[omp_get_thread_num()] = 1;
    }
    for (int i = 0; i < 3; i++)
        seen += result[i] + count;
    (void)seen;
    shmem_finalize();
    return 0;
}
