/* thrille: n=3 */
/* A put to a third PE is complete when a flag is stored behind a quiet. */
#include <shmem.h>

struct shared {
    long data, flag;
};

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    struct shared *mine = shmem_calloc(1, sizeof(*mine));
    struct shared *theirs = shmem_ptr(mine, 1);
    if (!theirs)
        shmem_global_exit(2);
    volatile long seen = 0;
    if (me == 0) {
        shmem_long_p(&mine->data, 3, 2);
        shmem_quiet();
        theirs->flag = 1;
    }
    if (me == 1) {
        while (!shmem_long_test(&mine->flag, SHMEM_CMP_EQ, 1))
            ;
        seen = shmem_long_g(&mine->data, 2);
    }
    (void)seen;
    shmem_barrier_all();
    shmem_free(mine);
    shmem_finalize();
    return 0;
}
