/* thrille: n=1 */
/* An iterator over the elements. */
#include <shmem.h>
static int y, a[20];
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        for (int i = 0; i < 4; i++)
#pragma omp task depend(out : a[i])
            a[i] = i;
#pragma omp task depend(iterator(k = 0 : 4), in : a[k])
        y = a[0] + a[1] + a[2] + a[3];
    }
    shmem_finalize();
    return 0;
}
