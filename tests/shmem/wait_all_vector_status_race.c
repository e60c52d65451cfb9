/* thrille: n=3 */
/* shmem_wait_until_all_vector does not wait for what its status excludes. */
#include <shmem.h>

static long slots[8];
static unsigned int flags[8];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 2) {
        unsigned int until[2] = { 1, 2 };
        int skip[2] = { 0, 1 };
        shmem_uint_wait_until_all_vector(flags, 2, skip, SHMEM_CMP_GE, until);
        seen = slots[0];
        seen = slots[1]; /* race: a */
    } else {
        long value = 3;
        shmem_long_put(&slots[me], &value, 1, 2); /* race: a */
        shmem_fence();
        shmem_uint_p(&flags[me], me + 1, 2);
    }
    (void)seen;
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
