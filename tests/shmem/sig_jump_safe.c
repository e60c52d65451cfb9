/* thrille: n=2 */
/* A handler that leaves by siglongjmp, twice: what its thread does after that is observed: here a barrier orders it. */
#include <setjmp.h>
#include <shmem.h>
#include <signal.h>

static sigjmp_buf back;
static long data;

static void handler(int signal)
{
    (void)signal;
    siglongjmp(back, 1);
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    struct sigaction action;
    action.sa_handler = handler;
    action.sa_flags = 0;
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
    for (volatile int i = 0; i < 2; i++)
        if (sigsetjmp(back, 1) == 0)
            raise(SIGUSR1);
    if (me == 0)
        data = 1;
    shmem_barrier_all();
    if (me == 1)
        shmem_long_p(&data, 2, 0);
    shmem_finalize();
    return 0;
}
