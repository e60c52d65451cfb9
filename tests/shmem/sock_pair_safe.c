/* thrille: n=1,2 flags=-pthread */
/* What a thread sends over a pair of sockets its receiver comes after: the receive of the second message comes after what was done before that was sent. */
#include <pthread.h>
#include <shmem.h>
#include <sys/socket.h>

static int ends[2];
static long first, second;

static void *producer(void *arg)
{
    (void)arg;
    first = 1;
    send(ends[0], "a", 1, 0);
    second = 2;
    send(ends[0], "b", 1, 0);
    return NULL;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    char c;
    volatile long seen;
    recv(ends[1], &c, 1, 0);
    seen = first;
    recv(ends[1], &c, 1, 0);
    seen = second;
    (void)seen;
    pthread_join(t, NULL);
    shmem_finalize();
    return 0;
}
