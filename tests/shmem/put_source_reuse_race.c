/* thrille: n=2 */
/* The source of a nonblocking put may be read until shmem_quiet: a store to it right after the call races with the
   put. */
#include <shmem.h>

static long x;
static long from = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0) {
        shmem_long_put_nbi(&x, &from, 1, 1); /* race: a */
        from = 2; /* race: a */
    }
    shmem_finalize();
    return 0;
}
