/* thrille: n=2 */
/* A flag set by a store through shmem_ptr and tested. */
#include <shmem.h>

struct shared {
    long flag;
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
    } else {
        for (int i = 0; i < 100 && !seen; i++)
            seen = shmem_long_test(&mine->flag, SHMEM_CMP_NE, 0);
    }
    shmem_barrier_all();
    shmem_free(mine);
    shmem_finalize();
    return 0;
}
