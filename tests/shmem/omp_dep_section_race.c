/* thrille: n=1 */
/* Array sections that are the same, or are not. */
#include <shmem.h>
static int y, a[20];
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task depend(out : a[0 : 4])
        a[1] = 1; /* race: a */
#pragma omp task depend(in : a[4 : 4])
        y = a[1]; /* race: a */
    }
    shmem_finalize();
    return 0;
}
