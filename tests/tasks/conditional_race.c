/* thrille: n=1,2 */
/* A wait in the fourth round only: tasks of the rounds after it are parallel. */
#include <shmem.h>
static int x[8];
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 8; i++) {
#pragma omp task
        x[i / 4] = i; /* race: a a */
        if (i == 3) {
#pragma omp taskwait
        }
    }
    shmem_finalize();
    return 0;
}
