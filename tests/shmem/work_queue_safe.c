/* thrille: n=2,4 */
/* An atomic fetch_inc gives each PE a ticket of its own, and so a slot of its own to put to. */
#include <shmem.h>

static long next;
static long slots[8];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    long ticket = shmem_long_atomic_fetch_inc(&next, 0);
    shmem_long_p(&slots[ticket], me, 0);
    seen = ticket;
    (void)seen;
    shmem_finalize();
    return 0;
}
