/* thrille: n=1 */
/* Two tasks with in dependences are not ordered. */
#include <shmem.h>
static int x, y;
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task depend(in : x)
        y += 1; /* race: a */
#pragma omp task depend(in : x)
        y += 2; /* race: a */
    }
    shmem_finalize();
    return 0;
}
