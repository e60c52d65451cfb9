/* thrille: n=2 */
/* shmem_quiet frees the source, a block of malloc, before it is refilled. */
#include <shmem.h>
#include <stdlib.h>

static long x[4];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    long *from = calloc(4, sizeof *from);
    if (me == 0) {
        shmem_long_put_nbi(x, from, 4, 1);
        shmem_quiet();
        from[3] = 7;
        shmem_quiet();
    }
    free(from);
    shmem_finalize();
    return 0;
}
