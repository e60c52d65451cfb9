/* thrille: n=2 */
/* A creator that is told to carry out its task at once goes on after it; and so does one in a final task. */
#include <omp.h>
#include <shmem.h>

static long x, y;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task if (0)
        x = 1;
        y = x;
#pragma omp task final(1)
        {
#pragma omp task
            y = 2;
            x = y;
        }
    }
    shmem_finalize();
    return 0;
}
