/* thrille: n=2 */
/* Slots and a count by stores: the wait is for all that are read. */
#include <shmem.h>

struct shared {
    long slots[4]; unsigned int count;
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
        for (unsigned int i = 0; i < 4; i++) {
            theirs->slots[i] = i;
            shmem_fence();
            theirs->count = i + 1;
        }
    } else {
        shmem_uint_wait_until(&mine->count, SHMEM_CMP_EQ, 4);
        for (int i = 0; i < 4; i++)
            seen = mine->slots[i];
    }
    (void)seen;
    shmem_barrier_all();
    shmem_free(mine);
    shmem_finalize();
    return 0;
}
