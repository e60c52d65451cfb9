/* thrille: n=1 policies=F,B,budget */
/* As mutex_handover_safe, but the data is written after the flag. Found where both sides look at the same turn. */
#include <pthread.h>
#include <shmem.h>

#define TURNS 400

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long filled;
static long data[TURNS];

static void *reader(void *seen)
{
    for (long turn = 0; turn < TURNS; turn++) {
        long ready = 0;
        while (!ready) {
            pthread_mutex_lock(&mutex);
            ready = filled > turn;
            pthread_mutex_unlock(&mutex);
        }
        *(volatile long *)seen = data[turn]; /* race: a */
    }
    return NULL;
}

int main(void)
{
    shmem_init();
    pthread_t thread;
    long seen;
    pthread_create(&thread, NULL, reader, &seen);
    for (long turn = 0; turn < TURNS; turn++) {
        pthread_mutex_lock(&mutex);
        filled = turn + 1;
        pthread_mutex_unlock(&mutex);
        data[turn] = turn; /* race: a */
    }
    pthread_join(thread, NULL);
    shmem_finalize();
    return 0;
}
