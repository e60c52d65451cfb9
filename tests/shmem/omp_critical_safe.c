/* thrille: n=2 */
/* Critical sections of one name, and of none. */
#include <omp.h>
#include <shmem.h>

static volatile long x, y;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp critical(one)
            x++;
        } else {
#pragma omp critical(one)
            x++;
        }
#pragma omp critical
        y++;
    }
    shmem_finalize();
    return 0;
}
