/* thrille: n=3 */
/* shmem_wait_until_all_vector waits for all without a status. */
#include <shmem.h>

static long slots[2];
static unsigned int flags[2];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 2) {
        unsigned int until[2] = { 1, 2 };
        shmem_uint_wait_until_all_vector(flags, 2, NULL, SHMEM_CMP_GE, until);
        seen = slots[0];
        seen = slots[1];
    } else {
        long value = 3;
        shmem_long_put(&slots[me], &value, 1, 2);
        shmem_fence();
        shmem_uint_p(&flags[me], me + 1, 2);
    }
    (void)seen;
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
