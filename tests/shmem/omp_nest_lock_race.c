/* thrille: n=2 */
/* After the last unset the lock protects nothing. */
#include <omp.h>
#include <shmem.h>

static long x;
static omp_nest_lock_t lock;

int main(void)
{
    shmem_init();
    omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(2)
    {
        omp_set_nest_lock(&lock);
        omp_set_nest_lock(&lock);
        omp_unset_nest_lock(&lock);
        omp_unset_nest_lock(&lock);
        x++; /* race: a a */
    }
    omp_destroy_nest_lock(&lock);
    shmem_finalize();
    return 0;
}
