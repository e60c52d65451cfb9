/* thrille: n=2 */
/* What comes before a task is created comes before the task; a task comes before the end of a taskwait, a taskgroup and a barrier. */
#include <omp.h>
#include <shmem.h>

static long x[8], y;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
    {
        volatile long seen = 0;
#pragma omp single nowait
        {
            for (int i = 0; i < 8; i++) {
                x[i] = i;
#pragma omp task firstprivate(i)
                {
                    x[i] += i;
                    i = 0;
                }
            }
#pragma omp taskwait
            for (int i = 0; i < 8; i++)
                x[i]++;
#pragma omp taskgroup
            {
                for (int i = 0; i < 8; i++) {
#pragma omp task firstprivate(i)
                    x[i] += i;
                }
            }
            for (int i = 0; i < 8; i++) {
                x[i]++;
#pragma omp task firstprivate(i)
                x[i] += i;
            }
        }
#pragma omp barrier
        for (int i = 0; i < 8; i++)
            seen += x[i];
        (void)seen;
    }
    for (int i = 0; i < 8; i++)
        y += x[i];
    shmem_finalize();
    return 0;
}
