/* thrille: n=1 */
/* A lock that is tried for. */
#include <omp.h>
#include <shmem.h>
static int x;
static omp_lock_t one;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
        omp_init_lock(&one);
#pragma omp task
        {
            omp_set_lock(&one);
            x += 1; /* race: a */
            omp_unset_lock(&one);
        }
#pragma omp task
        {
            while (!omp_test_lock(&one)) {
            }
            omp_unset_lock(&one);
            x += 2; /* race: a */
        }
    }
    shmem_finalize();
    return 0;
}
