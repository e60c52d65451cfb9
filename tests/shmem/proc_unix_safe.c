/* thrille: n=2 flags=-pthread */
/* A local socket between processes, by the name of a file: who finds the end of the stream comes after all that was done before it was closed. */
#include <shmem.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int key;
static long data;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0)
        key = (int)getpid();
    shmem_barrier_all();
    struct sockaddr_un at;
    memset(&at, 0, sizeof at);
    at.sun_family = AF_UNIX;
    snprintf(at.sun_path, sizeof at.sun_path, "/tmp/thrille-unix-%d", shmem_int_g(&key, 0));
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (me == 0) {
        bind(listener, (struct sockaddr *)&at, sizeof at);
        listen(listener, 8);
    }
    shmem_barrier_all();
    char c = 0;
    if (me == 0) {
        int fd = accept(listener, NULL, NULL);
        data = 1;
        close(fd);
    } else {
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        connect(fd, (struct sockaddr *)&at, sizeof at);
        volatile long seen;
        while (recv(fd, &c, 1, 0) > 0)
            ;
        seen = shmem_long_g(&data, 0);
        (void)seen;
        close(fd);
    }
    close(listener);
    shmem_barrier_all();
    if (me == 0)
        unlink(at.sun_path);
    shmem_finalize();
    return 0;
}
