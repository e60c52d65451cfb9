/* thrille: n=1,2 */
/* Two tasks share a local variable of the function that creates them. */
#include <shmem.h>
static void write(int *p)
{
    *p = 1; /* race: a a */
}
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
        int local = 0;
#pragma omp task shared(local)
        write(&local);
#pragma omp task shared(local)
        write(&local);
#pragma omp taskwait
    }
    shmem_finalize();
    return 0;
}
