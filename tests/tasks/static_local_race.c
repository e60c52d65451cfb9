/* thrille: n=1 */
/* A static variable of a function that tasks call. */
#include <shmem.h>
static int y, z;
static int count(void)
{
    static int calls;
    return ++calls; /* race: a a */
}
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        z = count();
#pragma omp task
        y = count();
    }
    shmem_finalize();
    return 0;
}
