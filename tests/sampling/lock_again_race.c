/* thrille: n=2 policies=NL,HA,budget */
/* As lock_again_safe, but the data is put once more after the lock was given back for the last time. */
#include <shmem.h>

#define TURNS 500

static long lock, counter, data, done;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0) {
        for (long turn = 0; turn < TURNS; turn++) {
            shmem_long_p(&data, turn, 1);
            shmem_quiet();
            shmem_set_lock(&lock);
            shmem_long_atomic_add(&counter, 1, 0);
            shmem_clear_lock(&lock);
        }
        shmem_set_lock(&lock);
        shmem_long_p(&done, 1, 0);
        shmem_clear_lock(&lock);
        shmem_long_p(&data, TURNS, 1); /* race: a */
    } else {
        for (long seen = 0; !seen;) {
            shmem_set_lock(&lock);
            seen = shmem_long_g(&done, 0);
            shmem_clear_lock(&lock);
        }
        shmem_long_g(&data, 1); /* race: a */
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
