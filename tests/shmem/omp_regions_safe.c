/* thrille: n=2 */
/* Several regions with teams of different size: the end of one comes before the beginning of the next. */
#include <omp.h>
#include <shmem.h>

static volatile long a[6], b[6];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    for (int round = 0; round < 4; round++) {
#pragma omp parallel for num_threads(3) schedule(static, 1)
        for (int i = 0; i < 6; i++)
            a[i] = round;
#pragma omp parallel for num_threads(2) schedule(static, 2)
        for (int i = 0; i < 6; i++)
            b[i] = a[5 - i];
#pragma omp parallel for num_threads(4) schedule(dynamic)
        for (int i = 0; i < 5; i++)
            b[i] = i;
        a[0] = b[1];
#pragma omp parallel for num_threads(3) schedule(static, 1)
        for (int i = 0; i < 6; i++)
            a[i] = b[i];
        shmem_barrier_all();
        shmem_long_get((long *)b, (long *)a, 6, 1 - me);
        shmem_barrier_all();
    }
    shmem_finalize();
    return 0;
}
