/* thrille: n=1,2 */
/* All threads share the variable. */
#include <shmem.h>
static int x;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 2; i++) {
#pragma omp task
        x = i; /* race: a a */
    }
    shmem_finalize();
    return 0;
}
