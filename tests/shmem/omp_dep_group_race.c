/* thrille: n=1 */
/* A taskgroup ends tasks with dependences. */
#include <shmem.h>
static int x, y, z;
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        {
#pragma omp task depend(out : x)
            x = 1;
#pragma omp task depend(in : x)
            z = x; /* race: a */
        }
        y = z; /* race: a */
    }
    shmem_finalize();
    return 0;
}
