/* thrille: n=2 */
/* Each thread has a lock of its own. */
#include <omp.h>
#include <shmem.h>

static long x;
static omp_lock_t lock[2];

int main(void)
{
    shmem_init();
    omp_init_lock(&lock[0]);
    omp_init_lock(&lock[1]);
#pragma omp parallel num_threads(2)
    {
        omp_lock_t *mine = &lock[omp_get_thread_num()];
        omp_set_lock(mine);
        x++; /* race: a a */
        omp_unset_lock(mine);
    }
    omp_destroy_lock(&lock[0]);
    omp_destroy_lock(&lock[1]);
    shmem_finalize();
    return 0;
}
