/* thrille: n=2 flags=-pthread */
/* A worker asks for a put by a pipe and stores to the buffer then: what is written to a pipe hands over what came before it only (write(2), read(2)). */
#include <shmem.h>
#include <pthread.h>
#include <unistd.h>

enum { ROUNDS = 6 };
static long x, buffers[2];
static int asked[2], answered[2];
static int other;

static void *serve(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        long *address;
        if (read(asked[0], &address, sizeof(address)) != sizeof(address))
            shmem_global_exit(1);
        shmem_long_put(&x, address, 1, other); /* race: a */
        shmem_quiet();
        char done = 1;
        if (write(answered[1], &done, 1) != 1)
            shmem_global_exit(1);
    }
    return arg;
}

int main(void)
{
    int provided;
    pthread_t server;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    other = 1 - shmem_my_pe();
    if (pipe(asked) || pipe(answered))
        shmem_global_exit(1);
    pthread_create(&server, NULL, serve, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        long *address = &buffers[i % 2];
        char done;
        if (i >= 2 && read(answered[0], &done, 1) != 1)
            shmem_global_exit(1);
        *address = i;
        if (write(asked[1], &address, sizeof(address)) != sizeof(address))
            shmem_global_exit(1);
        *address = i + 1; /* race: a */
    }
    pthread_join(server, NULL);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
