/* thrille: n=1 */
/* A reduction over a taskloop. */
#include <shmem.h>
static int x, y;
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp taskloop shared(x)
        for (int i = 0; i < 16; i++)
            x += i; /* race: a a */
        y = x;
    }
    shmem_finalize();
    return 0;
}
