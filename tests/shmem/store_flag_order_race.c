/* thrille: n=2 */
/* A flag set by a store through shmem_ptr before the data is. */
#include <shmem.h>

struct shared {
    long data, flag;
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
    if (me == 0) {
        theirs->flag = 1;
        shmem_fence();
        theirs->data = 42; /* race: a */
    } else {
        shmem_long_wait_until(&mine->flag, SHMEM_CMP_EQ, 1);
        seen = mine->data; /* race: a */
    }
    (void)seen;
    shmem_barrier_all();
    shmem_free(mine);
    shmem_finalize();
    return 0;
}
