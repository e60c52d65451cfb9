/* thrille: n=2 */
/* Two shmem_p to one PE without a fence may be delivered in either order: the flag may overtake the data. */
#include <shmem.h>

static int x, flag;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_int_p(&x, 1, 1); /* race: a */
        shmem_int_p(&flag, 1, 1);
    }
    if (me == 1) {
        shmem_int_wait_until(&flag, SHMEM_CMP_NE, 0);
        seen = x; /* race: a */
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
