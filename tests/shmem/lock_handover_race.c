/* thrille: n=2 */
/* The flag under the lock is set before the data is put: seeing it tells nothing about the put, whichever of the two critical sections
   comes first. */
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
        shmem_set_lock(&lock);
        shmem_int_p(&ready, 1, 0);
        shmem_clear_lock(&lock);
        shmem_int_p(&data, 42, 1); /* race: a */
        shmem_quiet();
    } else {
        int r = 0;
        while (!r) {
            shmem_set_lock(&lock);
            r = shmem_int_g(&ready, 0);
            shmem_clear_lock(&lock);
        }
        seen = data; /* race: a */
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
