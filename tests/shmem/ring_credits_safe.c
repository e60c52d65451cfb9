/* thrille: n=3,5 */
/* A ring of two buffers whose sender waits for credits. */
#include <stdint.h>
#include <shmem.h>

#define STEPS 6
static long boxes[2][4];
static uint64_t full;
static long empty;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    int right = (me + 1) % n, left = (me + n - 1) % n;
    volatile long seen = 0;
    for (int step = 0; step < STEPS; step++) {
        long out[4] = { me, step, 0, 1 };
        if (step >= 2)
            shmem_long_wait_until(&empty, SHMEM_CMP_GE, step - 1);
        shmem_long_put_signal(boxes[step % 2], out, 4, &full, step + 1, SHMEM_SIGNAL_SET, right);
        shmem_signal_wait_until(&full, SHMEM_CMP_GE, step + 1);
        seen = boxes[step % 2][1];
        shmem_long_atomic_inc(&empty, left);
    }
    (void)seen;
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
