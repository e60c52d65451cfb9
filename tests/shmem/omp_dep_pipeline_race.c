/* thrille: n=1 */
/* Two stages over the same blocks. */
#include <shmem.h>
static int t, a[20];
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        for (int i = 0; i < 8; i++) {
#pragma omp task depend(out : a[i])
            a[i] = i; /* race: a */
#pragma omp task depend(inout : t)
            t += a[i]; /* race: a */
        }
    }
    shmem_finalize();
    return 0;
}
