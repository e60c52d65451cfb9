/* thrille: n=1,2 */
/* Neighbouring bytes of one word. */
#include <shmem.h>
static char x[8];
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 4; i++) {
#pragma omp task
        x[i] = 1;
    }
    shmem_finalize();
    return 0;
}
