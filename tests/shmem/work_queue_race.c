/* thrille: n=2,4 */
/* Taking a ticket with get and put: two PEs may take the same, and their accesses to the counter race. */
#include <shmem.h>

static long next;

int main(void)
{
    shmem_init();
    volatile long seen = 0;
    long ticket = shmem_long_g(&next, 0); /* race: a */
    shmem_long_p(&next, ticket + 1, 0); /* race: a, b b */
    seen = ticket;
    (void)seen;
    shmem_finalize();
    return 0;
}
