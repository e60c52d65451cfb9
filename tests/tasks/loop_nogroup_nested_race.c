/* thrille: n=1 */
/* Taskwait does not wait for the tasks of a taskloop's tasks, its implicit taskgroup does. */
#include <shmem.h>
static int y, a[20];
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop nogroup num_tasks(2)
        for (int i = 0; i < 2; i++) {
#pragma omp task firstprivate(i)
            a[i] = i; /* race: a */
        }
#pragma omp taskwait
        y = a[1]; /* race: a */
    }
    shmem_finalize();
    return 0;
}
