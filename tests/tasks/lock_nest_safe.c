/* thrille: n=1 */
/* A lock that is taken twice. */
#include <omp.h>
#include <shmem.h>
static int x;
static omp_nest_lock_t one;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
        omp_init_nest_lock(&one);
#pragma omp task
        {
            omp_set_nest_lock(&one);
            omp_set_nest_lock(&one);
            omp_unset_nest_lock(&one);
            x += 1;
            omp_unset_nest_lock(&one);
        }
#pragma omp task
        {
            omp_set_nest_lock(&one);
            x += 2;
            omp_unset_nest_lock(&one);
        }
    }
    shmem_finalize();
    return 0;
}
