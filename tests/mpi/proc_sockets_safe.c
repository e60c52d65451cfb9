/* thrille: n=2 */
/* A connection over TCP between ranks, with sendmsg and recvmsg: what was stored before a message is there behind its receive. */
#include <arpa/inet.h>
#include <mpi.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    struct sockaddr_in at;
    memset(&at, 0, sizeof at);
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM, 0), port = 0;
    if (me == 0) {
        socklen_t len = sizeof at;
        bind(listener, (struct sockaddr *)&at, sizeof at);
        getsockname(listener, (struct sockaddr *)&at, &len);
        listen(listener, 8);
        port = at.sin_port;
    }
    MPI_Bcast(&port, 1, MPI_INT, 0, MPI_COMM_WORLD);
    long *cell, value = 0;
    MPI_Win win;
    MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &win);
    *cell = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    char c = 'x';
    struct iovec part = {&c, 1};
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (me == 0) {
        int fd = accept(listener, NULL, NULL);
        *cell = 7;
        sendmsg(fd, &message, 0);
        close(fd);
    } else {
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        at.sin_port = (in_port_t)port;
        connect(fd, (struct sockaddr *)&at, sizeof at);
        recvmsg(fd, &message, 0);
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        MPI_Get(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
        MPI_Win_unlock(0, win);
        close(fd);
    }
    close(listener);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
