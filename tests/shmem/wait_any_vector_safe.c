/* thrille: n=3 */
/* shmem_wait_until_any_vector orders after the flag of its index, not after the other one. */
#include <shmem.h>

static int slots[2];
static long flags[2];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile int seen = 0;
    if (me == 0) {
        long until[2] = { 5, 9 };
        size_t which = shmem_long_wait_until_any_vector(flags, 2, NULL, SHMEM_CMP_EQ, until);
        seen = slots[which];
    } else {
        int mine = me - 1;
        int value = 40 + me;
        shmem_int_put(&slots[mine], &value, 1, 0);
        shmem_quiet();
        if (me == 1)
            shmem_long_atomic_add(&flags[mine], 5, 0);
    }
    (void)seen;
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
