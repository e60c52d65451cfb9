/* thrille: n=2 */
/* Polling the flag with plain loads is itself a race with its update, and orders nothing: the data races too. */
#include <shmem.h>

static long x, flag;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_long_p(&x, 1, 1); /* race: a */
        shmem_fence();
        shmem_long_p(&flag, 1, 1); /* race: b */
    }
    if (me == 1) {
        volatile long *polled = &flag;
        for (int i = 0; i < 1000 && *polled == 0; i++) /* race: b */
            ;
        seen = x; /* race: a */
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
