/* thrille: n=2 */
/* One buffer goes to and fro: whoever has seen the signal knows that the buffer of that put was read, and puts into it. Without the wait it does not know. */
#include <shmem.h>
#include <stdint.h>

static long ball[8];
static uint64_t sig;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    for (uint64_t k = 0; k < 12; k++) {
        if ((int)(k % 2) == me)
            shmem_long_put_signal(ball, ball, 8, &sig, k + 1, SHMEM_SIGNAL_SET, 1 - me);
        else
            shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, k + 1);
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
