/* thrille: n=2 */
/* A put, a fence, and a flag set by a store through shmem_ptr: fences order stores too. */
#include <shmem.h>

struct shared {
    double data[8]; int flag;
};

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    struct shared *mine = shmem_calloc(1, sizeof(*mine));
    struct shared *theirs = shmem_ptr(mine, 1 - me);
    if (!theirs)
        shmem_global_exit(2);
    volatile double seen = 0;
    if (me == 0) {
        double out[8] = { 1, 2 };
        shmem_double_put(mine->data, out, 8, 1);
        shmem_fence();
        theirs->flag = 1;
    } else {
        shmem_int_wait_until(&mine->flag, SHMEM_CMP_NE, 0);
        seen = mine->data[1];
    }
    (void)seen;
    shmem_barrier_all();
    shmem_free(mine);
    shmem_finalize();
    return 0;
}
