/* thrille: n=2,3 */
/* Locks of a file keep its holders apart. */
#include <fcntl.h>
#include <shmem.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

static int key;
static long total;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    char name[64];
    if (me == 0)
        key = (int)getpid();
    shmem_barrier_all();
    snprintf(name, sizeof name, "/tmp/thrille-flock-%d", shmem_int_g(&key, 0));
    int fd = open(name, O_CREAT | O_RDWR, 0600);
    flock(fd, LOCK_EX);
    long now = shmem_long_g(&total, 0);
    shmem_long_p(&total, now + 1, 0);
    shmem_quiet();
    flock(fd, LOCK_UN);
    shmem_barrier_all();
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    fcntl(fd, F_SETLKW, &lock);
    now = shmem_long_g(&total, 0);
    shmem_long_p(&total, now + 1, 0);
    shmem_quiet();
    close(fd);
    shmem_barrier_all();
    if (me == 0)
        unlink(name);
    shmem_finalize();
    return 0;
}
