/* PE 1 waits for a file that PE 0 makes when its put is complete. */
#include "witness.h"
#include <string.h>
#include <unistd.h>

static long x, one = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    const char *name = getenv("HANDOVER");
    if (me == 0)
        unlink(name);
    shmem_barrier_all();
    begin_ns = now_ns();
    if (me == 0) {
        shmem_long_put(&x, &one, 1, 1); /* data */
        shmem_quiet();
        end_ns = now_ns();
        fclose(fopen(name, "w"));
    }
    if (me == 1) {
        while (access(name, F_OK) != 0)
            usleep(1000);
        begin_ns = now_ns();
        seen = x; /* data */
        end_ns = now_ns();
    }
    (void)seen;
    testify();
    shmem_finalize();
    return 0;
}
