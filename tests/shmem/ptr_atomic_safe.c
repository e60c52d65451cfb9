/* thrille: n=2 */
/* C11 atomics on memory of another PE, by shmem_ptr: release and acquire. */
#include <shmem.h>
#include <stdatomic.h>

static long data;
static atomic_long flag;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long s = 0;
    if (me == 0) {
        long *d = shmem_ptr(&data, 1);
        atomic_long *f = shmem_ptr(&flag, 1);
        *d = 5;
        atomic_store_explicit(f, 1, memory_order_release);
    } else {
        while (!atomic_load_explicit(&flag, memory_order_acquire))
            ;
        s = data;
    }
    (void)s;
    shmem_finalize();
    return 0;
}
