/* thrille: n=2 */
/* Tasks count in a variable of their thread, and in memory that such a variable leads to. */
#include <omp.h>
#include <shmem.h>
#include <stdlib.h>
static long count;
#pragma omp threadprivate(count)
static __thread long *seen;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
    {
        count = 0;
#pragma omp single
        for (int i = 0; i < 20; i++) {
#pragma omp task
            {
                count++;
                if (!seen)
                    seen = calloc(1, sizeof *seen);
                *seen += 1;
            }
        }
        if (seen)
            *seen += count;
    }
    shmem_finalize();
    return 0;
}
