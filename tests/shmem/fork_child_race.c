/* thrille: n=2 flags=-pthread */
/* What a forked child does is no rank's doing: its stores are to a copy, its locks and pipes its own; the parent is observed as before. */
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long data;
static long private_[4];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
    pthread_mutex_lock(&mutex);
    *(long *)arg = 5;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    int fds[2];
    if (pipe(fds) != 0)
        return 1;
    long *heap = malloc(64);
    memset(heap, 0, 64);
    pid_t child = fork();
    if (child == 0) {
        char text[32];
        pthread_t t;
        heap[0] = 1;
        private_[1] = 1;
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
        pthread_create(&t, NULL, work, heap);
        pthread_join(t, NULL);
        snprintf(text, sizeof text, "%ld", heap[0]);
        if (write(fds[1], text, 1) != 1)
            _exit(3);
        free(malloc(1000));
        exit(7);
    }
    char c;
    if (read(fds[0], &c, 1) != 1 || c != '5')
        abort();
    int status;
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7)
        abort();
    if (me == 0)
        data = heap[0] + 1; /* race: a */
    if (me == 1)
        shmem_long_p(&data, 2, 0); /* race: a */
    free(heap);
    shmem_finalize();
    return 0;
}
