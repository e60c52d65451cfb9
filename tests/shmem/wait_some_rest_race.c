/* thrille: n=3 */
/* shmem_wait_until_some returned one index; the other slot is still being put. */
#include <shmem.h>

static long slots[2], go;
static int flags[2];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        size_t which[2];
        int done[2] = { 0, 0 };
        size_t count = shmem_int_wait_until_some(flags, 2, which, NULL, SHMEM_CMP_NE, 0);
        for (size_t i = 0; i < count; i++)
            done[which[i]] = 1;
        shmem_long_atomic_set(&go, 1, 2);
        seen = slots[0];
        seen = slots[1]; /* race: a */
    }
    if (me == 1) {
        shmem_long_p(&slots[0], 5, 0);
        shmem_fence();
        shmem_int_atomic_set(&flags[0], 1, 0);
    }
    if (me == 2) {
        shmem_long_wait_until(&go, SHMEM_CMP_EQ, 1);
        shmem_long_p(&slots[1], 6, 0); /* race: a */
        shmem_fence();
        shmem_int_atomic_set(&flags[1], 1, 0);
    }
    (void)seen;
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
