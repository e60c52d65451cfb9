/* A PE that makes many calls before it comes to its side, while the other waits for it: each call is told of, and the PE slowed down in them. */
#include <shmem.h>
#include <unistd.h>

static long x;

int main(void)
{
    shmem_init();
    volatile long seen = 0;
    if (shmem_my_pe() == 0) {
        usleep(20000); /* the other is likely to be there first: else nobody listens, and the calls are none of anybody's business */
        for (int i = 0; i < 120; i++) {
            shmem_fence();
        }
        shmem_long_p(&x, 1, 1);
    } else {
        seen = x;
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
