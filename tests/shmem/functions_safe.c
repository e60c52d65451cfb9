/* thrille: n=2 */
/* Sender and receiver are functions; the caller puts a barrier between them. */
#include <shmem.h>

static long x[4];

static void send(long *to, long value, int pe)
{
    shmem_long_p(to, value, pe);
}

static long load(const long *from)
{
    return *from;
}

static long receive(const long *from)
{
    return load(from + 1);
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0)
        send(&x[2], 1, 1);
    shmem_barrier_all();
    if (me == 1)
        seen = receive(&x[1]);
    (void)seen;
    shmem_finalize();
    return 0;
}
