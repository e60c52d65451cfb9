/* thrille: n=2 */
/* A strand's lock does not keep it from itself: the buffer of a nonblocking put is written again before the put is complete, under the
   lock that was held when it was issued. */
#include <shmem.h>

static long lock;
static int target;
static int buffer;

int main(void)
{
    shmem_init();
    if (shmem_my_pe() == 0) {
        shmem_set_lock(&lock);
        shmem_int_put_nbi(&target, &buffer, 1, 1); /* race: a */
        buffer = 1; /* race: a */
        shmem_quiet();
        shmem_clear_lock(&lock);
    }
    shmem_finalize();
    return 0;
}
