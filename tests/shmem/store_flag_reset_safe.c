/* thrille: n=2 */
/* Who waited for a stored flag resets it before it answers. */
#include <shmem.h>

struct shared {
    int data, flag, answer;
};

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    struct shared *mine = shmem_calloc(1, sizeof(*mine));
    struct shared *theirs = shmem_ptr(mine, 1 - me);
    if (!theirs)
        shmem_global_exit(2);
    volatile int seen = 0;
    if (me == 0) {
        theirs->data = 1;
        shmem_quiet();
        theirs->flag = 1;
        shmem_int_wait_until(&mine->answer, SHMEM_CMP_EQ, 1);
        theirs->flag = 2;
    } else {
        shmem_int_wait_until(&mine->flag, SHMEM_CMP_EQ, 1);
        seen = mine->data;
        mine->flag = 0;
        shmem_int_p(&mine->answer, 1, 0);
    }
    (void)seen;
    shmem_barrier_all();
    shmem_free(mine);
    shmem_finalize();
    return 0;
}
