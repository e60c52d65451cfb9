/* thrille: n=1 */
/* Task_reduction and in_reduction. */
#include <shmem.h>
static int x, y;
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : x)
        {
            for (int i = 0; i < 4; i++)
#pragma omp task in_reduction(+ : x)
                x += i;
        }
        y = x;
    }
    shmem_finalize();
    return 0;
}
