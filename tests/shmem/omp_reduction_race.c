/* thrille: n=2 */
/* Four threads add to one variable. */
#include <omp.h>
#include <shmem.h>

static volatile long x;

int main(void)
{
    shmem_init();
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 8; i++)
        x += i; /* race: a a */
    shmem_finalize();
    return 0;
}
