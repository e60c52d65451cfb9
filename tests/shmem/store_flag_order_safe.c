/* thrille: n=2 */
/* Data and flag set by stores through shmem_ptr, with a fence in between: who waited for the flag has the data. */
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
        theirs->data = 42;
        shmem_fence();
        theirs->flag = 1;
    } else {
        shmem_long_wait_until(&mine->flag, SHMEM_CMP_EQ, 1);
        seen = mine->data;
    }
    (void)seen;
    shmem_barrier_all();
    shmem_free(mine);
    shmem_finalize();
    return 0;
}
