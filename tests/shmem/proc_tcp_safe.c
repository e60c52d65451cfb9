/* thrille: n=2,3 flags=-pthread */
/* A connection over TCP between processes: what is done before a message is sent comes before what is done after it was received. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <shmem.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int port;
static long first, second;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    struct sockaddr_in at;
    memset(&at, 0, sizeof at);
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (me == 0) {
        bind(listener, (struct sockaddr *)&at, sizeof at);
        socklen_t len = sizeof at;
        getsockname(listener, (struct sockaddr *)&at, &len);
        listen(listener, 8);
        port = at.sin_port;
    }
    shmem_barrier_all();
    char c = 0;
    if (me == 0) {
        int fd = accept(listener, NULL, NULL);
        recv(fd, &c, 1, 0);
        first = 1;
        send(fd, "a", 1, 0);
        second = 2;
        write(fd, "b", 1);
        close(fd);
    } else if (me == 1) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        at.sin_port = (in_port_t)shmem_int_g(&port, 0);
        connect(fd, (struct sockaddr *)&at, sizeof at);
        send(fd, "x", 1, 0);
        volatile long seen;
        recv(fd, &c, 1, MSG_WAITALL);
        seen = shmem_long_g(&first, 0);
        read(fd, &c, 1);
        seen = shmem_long_g(&second, 0);
        (void)seen;
        close(fd);
    }
    close(listener);
    shmem_finalize();
    return 0;
}
