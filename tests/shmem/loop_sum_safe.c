/* thrille: n=2 flags=-O2 */
/* A sum in a loop, put before a barrier. */
#include <shmem.h>

static double sum;
static double terms[64];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), count = 32 * shmem_n_pes();
    if (me == 0)
        shmem_double_p(&sum, 1, 1);
    shmem_barrier_all();
    if (me == 1) {
        for (int i = 0; i < count; i++)
            sum += terms[i];
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
