/* thrille: n=2 */
/* Each iteration has an element of its own; who goes on after the loop sees them all. */
#include <omp.h>
#include <shmem.h>

static long part[20], sum;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp taskloop grainsize(2)
        for (int i = 0; i < 20; i++)
            part[i] = i;
        for (int i = 0; i < 20; i++)
            sum += part[i];
    }
    shmem_finalize();
    return 0;
}
