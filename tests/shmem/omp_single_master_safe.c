/* thrille: n=2 */
/* Barriers between what a single region does and what the master does; and what the thread of a single region does later, because it was that one. */
#include <omp.h>
#include <shmem.h>

static long x, y, z;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        x = 1;
#pragma omp master
        x = 2;
#pragma omp master
        y = 1;
#pragma omp barrier
#pragma omp single
        y = 2;
        int mine = 0;
#pragma omp single nowait
        {
            mine = 1;
            z = 1;
        }
        if (mine)
            z = 2;
    }
    shmem_finalize();
    return 0;
}
