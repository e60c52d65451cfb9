/* thrille: n=2 */
/* The buffer of a nonblocking put is written again only after the put is complete. */
#include <shmem.h>

static long lock;
static int target;
static int buffer;

int main(void)
{
    shmem_init();
    if (shmem_my_pe() == 0) {
        shmem_set_lock(&lock);
        shmem_int_put_nbi(&target, &buffer, 1, 1);
        shmem_quiet();
        buffer = 1;
        shmem_clear_lock(&lock);
    }
    shmem_finalize();
    return 0;
}
