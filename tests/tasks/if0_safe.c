/* thrille: n=1,2 */
/* It does not: the creator waits for the task at once. */
#include <shmem.h>
static int x, yes = 1, no;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
        no = !yes;
#pragma omp task if(no)
        x = 1;
        x = 2;
    }
    shmem_finalize();
    return 0;
}
