/* thrille: n=2 */
/* A lock orders nothing by itself, but what flows through it does: PE 1 sees under the lock the flag that PE 0 set under the lock
   after its data was complete, so the load that follows, outside any lock, comes after the put. */
#include <shmem.h>

static long lock;
static int ready;
static int data;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile int seen = 0;
    if (me == 0) {
        shmem_int_p(&data, 42, 1);
        shmem_quiet();
        shmem_set_lock(&lock);
        shmem_int_p(&ready, 1, 0);
        shmem_clear_lock(&lock);
    } else {
        int r = 0;
        while (!r) {
            shmem_set_lock(&lock);
            r = shmem_int_g(&ready, 0);
            shmem_clear_lock(&lock);
        }
        seen = data;
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
