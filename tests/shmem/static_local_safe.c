/* thrille: n=2 */
/* The barrier completes the put to the static variable of a function before the load. */
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
        shmem_long_p(cell(), 1, 1);
    shmem_barrier_all();
    if (me == 1)
        seen = *cell();
    (void)seen;
    shmem_finalize();
    return 0;
}
