/* thrille: n=2 flags=-pthread */
/* A worker asks for puts by a pipe and is answered by another: what is read of a pipe was written before (write(2), read(2)). */
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
        shmem_long_put(&x, address, 1, other);
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
    }
    pthread_join(server, NULL);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
