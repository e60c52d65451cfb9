/* thrille: n=2 flags=-pthread */
/* The communication thread counts up an eventfd (eventfd(2)) before its nonblocking put is complete. */
#include <shmem.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static long x, buffer;
static int event, other;

static void *serve(void *arg)
{
    uint64_t one = 1;
    shmem_long_put_nbi(&x, &buffer, 1, other); /* race: a */
    if (write(event, &one, sizeof(one)) != sizeof(one))
        shmem_global_exit(1);
    shmem_quiet();
    return arg;
}

int main(void)
{
    int provided;
    uint64_t n;
    pthread_t server;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    other = 1 - shmem_my_pe();
    event = eventfd(0, 0);
    pthread_create(&server, NULL, serve, NULL);
    if (read(event, &n, sizeof(n)) != sizeof(n))
        shmem_global_exit(1);
    buffer = 8; /* race: a */
    pthread_join(server, NULL);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
