/* thrille: n=2 */
/* shmem_test_any that saw nothing orders nothing. */
#include <stdint.h>
#include <shmem.h>

static int64_t data, flags[3], go;

int main(void)
{
    shmem_init();
    volatile int64_t seen = 0;
    if (shmem_my_pe() == 1) {
        size_t which = shmem_int64_test_any(flags, 3, NULL, SHMEM_CMP_EQ, 4);
        shmem_int64_atomic_set(&go, 1, 0);
        (void)which;
        seen = data; /* race: a */
    } else {
        shmem_int64_wait_until(&go, SHMEM_CMP_EQ, 1);
        shmem_int64_p(&data, 8, 1); /* race: a */
        shmem_fence();
        shmem_int64_atomic_set(&flags[2], 4, 1);
    }
    (void)seen;
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
