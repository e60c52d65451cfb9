/* PE 1 dies, as the file that DIE names says, while PE 0 stands at its side of the race. */
#include <shmem.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static long x, one = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    const char *name = getenv("DIE");
    if (me == 1 && name && access(name, F_OK) == 0) {
        usleep(20000);
        raise(SIGKILL);
    }
    if (me == 0)
        shmem_long_put(&x, &one, 1, 1); /* race: a */
    if (me == 1)
        seen = x; /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
