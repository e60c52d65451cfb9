/* thrille: n=2 */
/* Tasks count in one variable. */
#include <omp.h>
#include <shmem.h>

static long count;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 20; i++) {
#pragma omp task
        count++; /* race: a a */
    }
    shmem_finalize();
    return 0;
}
