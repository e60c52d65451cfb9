/* thrille: n=1 */
/* Lastprivate of a taskloop. */
#include <shmem.h>
static int y;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
        int last = 0;
#pragma omp taskloop shared(last)
        for (int i = 0; i < 16; i++)
            last = i; /* race: a a */
        y = last;
    }
    shmem_finalize();
    return 0;
}
