/* thrille: n=2 */
/* A nonblocking put may read its source until quiet: refilling the malloc block before that changes what is sent. */
#include <shmem.h>
#include <stdlib.h>

static long x[4];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    long *from = calloc(4, sizeof *from);
    if (me == 0) {
        shmem_long_put_nbi(x, from, 4, 1); /* race: a */
        from[3] = 7; /* race: a */
        shmem_quiet();
    }
    free(from);
    shmem_finalize();
    return 0;
}
