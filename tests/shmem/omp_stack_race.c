/* thrille: n=2 */
/* A variable on the master's stack, shared by the team. */
#include <omp.h>
#include <shmem.h>

int main(void)
{
    shmem_init();
    long count = 0, result[3];
    volatile long seen = 0;
#pragma omp parallel num_threads(3) shared(count, result)
    {
        count++; /* race: a a */
        result[omp_get_thread_num()] = 1;
    }
    for (int i = 0; i < 3; i++)
        seen += result[i] + count;
    (void)seen;
    shmem_finalize();
    return 0;
}
