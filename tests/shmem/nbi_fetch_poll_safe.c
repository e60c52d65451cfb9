/* thrille: n=2,3 */
/* A flag fetched by a nonblocking atomic is there after quiet: the loop that saw it comes after what was complete before it was set. */
#include <shmem.h>
#include <stdio.h>

static long flag, data[8];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    long seen = 0, buf[8] = {0};
    if (me == 0) {
        for (int i = 0; i < 8; i++)
            buf[i] = i + 1;
        shmem_long_put(data, buf, 8, 1);
        shmem_quiet();
        shmem_long_atomic_set(&flag, 1, 1);
    } else if (me == 1) {
        while (seen == 0) {
            shmem_long_atomic_fetch_nbi(&seen, &flag, 1);
            shmem_quiet();
        }
        long s = 0;
        for (int i = 0; i < 8; i++)
            s += data[i];
        if (s > 100)
            printf("%ld\n", s);
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
