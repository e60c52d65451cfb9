/* thrille: n=1 */
/* Two tasks under one lock, or two. */
#include <omp.h>
#include <shmem.h>
static int x;
static omp_lock_t one, two;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
        omp_init_lock(&one);
        omp_init_lock(&two);
#pragma omp task
        {
            omp_set_lock(&one);
            x += 1; /* race: a */
            omp_unset_lock(&one);
        }
#pragma omp task
        {
            omp_set_lock(&two);
            x += 2; /* race: a */
            omp_unset_lock(&two);
        }
    }
    shmem_finalize();
    return 0;
}
