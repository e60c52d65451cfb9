/* thrille: n=2 */
/* Tasks of two rounds, with no barrier between the rounds. */
#include <omp.h>
#include <shmem.h>

static long a[20];

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
    for (int round = 0; round < 2; round++) {
#pragma omp single nowait
        for (int i = 0; i < 20; i++) {
#pragma omp task firstprivate(i)
            a[i]++; /* race: a a */
        }
    }
    shmem_finalize();
    return 0;
}
