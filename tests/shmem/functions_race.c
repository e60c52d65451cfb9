/* thrille: n=2 */
/* Sender and receiver are functions that know nothing of each other; no barrier stands between them. */
#include <shmem.h>

static long x[4];

static void send(long *to, long value, int pe)
{
    shmem_long_p(to, value, pe); /* race: a */
}

static long load(const long *from)
{
    return *from; /* race: a */
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
    if (me == 1)
        seen = receive(&x[1]);
    (void)seen;
    shmem_finalize();
    return 0;
}
