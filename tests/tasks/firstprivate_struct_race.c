/* thrille: n=1 */
/* A captured structure. */
#include <shmem.h>
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
        struct { int v[20]; } s = {{0}};
#pragma omp task shared(s)
        s.v[3] = 1; /* race: a */
        s.v[3] = 2; /* race: a */
#pragma omp taskwait
    }
    shmem_finalize();
    return 0;
}
