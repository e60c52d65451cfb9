/* thrille: n=2 */
/* A static variable inside a function is symmetric memory: the put to it races with the load. */
#include <shmem.h>

static long *cell(void)
{
    static long hidden;
    return &hidden;
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0)
        shmem_long_p(cell(), 1, 1); /* race: a */
    if (me == 1)
        seen = *cell(); /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
