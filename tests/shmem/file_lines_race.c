/* thrille: n=2 flags=-pthread */
/* Another process reads of a file what was written to it: it comes after the write, not after what is done behind it. */
#include <fcntl.h>
#include <sched.h>
#include <shmem.h>
#include <stdio.h>
#include <unistd.h>

static int key;
static long data;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    char name[64];
    if (me == 0)
        key = (int)getpid();
    shmem_barrier_all();
    snprintf(name, sizeof name, "/tmp/thrille-file-%d", shmem_int_g(&key, 0));
    int fd = open(name, O_CREAT | O_RDWR, 0600);
    shmem_barrier_all();
    if (me == 0) {
        unlink(name);
        if (write(fd, "x", 1) != 1)
            return 1;
        data = 1; /* race: a */
    } else {
        char c;
        while (read(fd, &c, 1) != 1)
            sched_yield();
        volatile long seen = shmem_long_g(&data, 0); /* race: a */
        (void)seen;
    }
    shmem_barrier_all();
    close(fd);
    shmem_finalize();
    return 0;
}
