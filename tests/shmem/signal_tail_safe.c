/* thrille: n=2 */
/* The last call of a function waits for a signal that is one ahead: what is waited for is there, whether or not anybody looks at the result. */
#include <stdint.h>
#include <shmem.h>

static long boxes[2], go;
static uint64_t signal;

static void arrived(uint64_t many)
{
    shmem_signal_wait_until(&signal, SHMEM_CMP_GE, many);
}

int main(void)
{
    shmem_init();
    volatile long seen = 0;
    if (shmem_my_pe() == 0) {
        long out[2] = { 4, 5 };
        shmem_long_put_signal(&boxes[0], &out[0], 1, &signal, 1, SHMEM_SIGNAL_SET, 1);
        shmem_long_put_signal(&boxes[1], &out[1], 1, &signal, 2, SHMEM_SIGNAL_SET, 1);
        shmem_long_atomic_set(&go, 1, 1);
    } else {
        shmem_long_wait_until(&go, SHMEM_CMP_EQ, 1);
        arrived(1);
        seen = boxes[0];
    }
    (void)seen;
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
