/* thrille: n=2 */
/* The answer to the flag says nothing of what was put beside it. */
#include <shmem.h>

static long flag, beside;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    for (long i = 1; i <= 5; i++) {
        if (me == 0) {
            shmem_long_p(&beside, i, 1); /* race: a a */
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
