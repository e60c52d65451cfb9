/* thrille: n=2 */
/* shmem_quiet completes the put of each iteration before the next one is issued. */
#include <shmem.h>

static long x;
static long from[3] = {1, 2, 3};

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0) {
        for (int i = 0; i < 3; i++) {
            shmem_long_put(&x, &from[i], 1, 1);
            shmem_quiet();
        }
    }
    shmem_finalize();
    return 0;
}
