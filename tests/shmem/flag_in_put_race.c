/* thrille: n=2 */
/* The flag is part of a longer put, with no fence between the data and that. */
#include <shmem.h>

static struct { long a, b, c, flag; } m;
static long x[64];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long s = 0;
    if (me == 0) {
        long v[4] = {5, 6, 7, 1}, data[64] = {1};
        shmem_long_put(x, data, 64, 1); /* race: a */
        shmem_putmem(&m, v, sizeof v, 1);
    } else {
        shmem_long_wait_until(&m.flag, SHMEM_CMP_EQ, 1);
        s = x[63]; /* race: a */
    }
    (void)s;
    shmem_finalize();
    return 0;
}
