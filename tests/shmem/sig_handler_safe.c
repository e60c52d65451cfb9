/* thrille: n=2 */
/* What a handler does is its thread's doing, which a barrier orders. */
#include <shmem.h>
#include <signal.h>

static volatile long data;

static void handler(int signal)
{
    (void)signal;
    data = 1;
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    signal(SIGUSR1, handler);
    if (me == 0)
        raise(SIGUSR1);
    shmem_barrier_all();
    if (me == 1)
        shmem_long_p((long *)&data, 2, 0);
    shmem_finalize();
    return 0;
}
