/* thrille: n=2 */
/* The threads of the team are older than the library's initialisation. */
#include <omp.h>
#include <shmem.h>

static long x, y;

int main(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp critical
        y++;
    }
    shmem_init();
#pragma omp parallel num_threads(2)
    {
#pragma omp critical
        x++;
    }
    x++;
    shmem_finalize();
    return 0;
}
