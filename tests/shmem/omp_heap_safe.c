/* thrille: n=2 */
/* The same with a barrier between. */
#include <omp.h>
#include <shmem.h>
#include <stdlib.h>

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    long *block = malloc(2 * sizeof *block);
#pragma omp parallel num_threads(2)
    {
        int i = omp_get_thread_num();
        volatile long seen;
        block[i] = me;
#pragma omp barrier
        seen = block[1 - i];
        (void)seen;
    }
    free(block);
    shmem_finalize();
    return 0;
}
