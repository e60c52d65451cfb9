/* thrille: n=1,2 */
/* The clause if holds: the task may be deferred. */
#include <shmem.h>
static int x, yes = 1, no;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
        no = yes;
#pragma omp task if(yes)
        x = 1; /* race: a */
        x = 2; /* race: a */
    }
    shmem_finalize();
    return 0;
}
