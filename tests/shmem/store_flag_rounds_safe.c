/* thrille: n=2 */
/* Rounds of data and flag by stores, each answered before the next. */
#include <shmem.h>

struct shared {
    long data, flag, answer;
};

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    struct shared *mine = shmem_calloc(1, sizeof(*mine));
    struct shared *theirs = shmem_ptr(mine, 1 - me);
    if (!theirs)
        shmem_global_exit(2);
    volatile long seen = 0;
    for (long round = 1; round <= 4; round++) {
        if (me == 0) {
            theirs->data = round;
            shmem_fence();
            theirs->flag = round;
            shmem_long_wait_until(&mine->answer, SHMEM_CMP_EQ, round);
        } else {
            shmem_long_wait_until(&mine->flag, SHMEM_CMP_GE, round);
            seen = mine->data;
            shmem_long_p(&mine->answer, round, 0);
            shmem_quiet();
        }
    }
    (void)seen;
    shmem_barrier_all();
    shmem_free(mine);
    shmem_finalize();
    return 0;
}
