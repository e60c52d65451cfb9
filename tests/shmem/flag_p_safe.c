/* thrille: n=2 */
/* shmem_fence orders the two shmem_p, and the wait that saw the second has the first. */
#include <shmem.h>

static int x, flag;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_int_p(&x, 1, 1);
        shmem_fence();
        shmem_int_p(&flag, 1, 1);
    }
    if (me == 1) {
        shmem_int_wait_until(&flag, SHMEM_CMP_NE, 0);
        seen = x;
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
