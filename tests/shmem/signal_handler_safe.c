/* thrille: n=2 */
/* A signal handler interrupts the program anywhere, also in what observes it. It changes nothing about what the program does: the barrier comes after the put. */
#include <shmem.h>
#include <signal.h>
#include <sys/time.h>

static long word, depths[64];
static volatile sig_atomic_t ticks;

static void tick(int signal)
{
    (void)signal;
    ticks++;
}

static long deep(long n)
{
    depths[n % 64]++;
    return n == 0 ? 0 : deep(n - 1) + 1;
}

int main(void)
{
    volatile long seen;
    struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART}, old;
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    shmem_init();
    signal(SIGALRM, SIG_IGN);
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGALRM, NULL, &old);
    if (old.sa_handler != tick)
        return 1;
    setitimer(ITIMER_REAL, &often, NULL);
    while (ticks < 20)
        deep(3000);
    if (shmem_my_pe() == 0)
        shmem_long_p(&word, 1, 1);
    shmem_barrier_all();
    seen = word;
    shmem_barrier_all();
    setitimer(ITIMER_REAL, &never, NULL);
    if (signal(SIGALRM, SIG_DFL) != tick)
        return 1;
    shmem_finalize();
    (void)seen;
    return 0;
}
