/* thrille: n=2 */
/* A flag put over and over without a fence: each is put when the one before was seen, and answered in the same way. */
#include <shmem.h>

static long flag;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    for (long i = 1; i <= 5; i++) {
        if (me == 0) {
            shmem_long_p(&flag, i, 1);
            shmem_long_wait_until(&flag, SHMEM_CMP_GE, i);
        }
        if (me == 1) {
            shmem_long_wait_until(&flag, SHMEM_CMP_GE, i);
            shmem_long_p(&flag, i, 0);
        }
    }
    shmem_finalize();
    return 0;
}
