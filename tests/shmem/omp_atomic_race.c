/* thrille: n=2 */
/* An atomic update and a plain one. */
#include <omp.h>
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            _Pragma("omp atomic") x++; /* race: a */
        } else {
            x++; /* race: a */
        }
    }
    shmem_finalize();
    return 0;
}
