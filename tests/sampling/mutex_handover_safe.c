/* thrille: n=1 policies=HA,H0,I,IA,F,FA0,B,P,K2A,M,NL,budget */
/* The same between two threads, with a mutex: a flag under it tells that the data is there. */
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
        *(volatile long *)seen = data[turn];
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
        data[turn] = turn;
        pthread_mutex_lock(&mutex);
        filled = turn + 1;
        pthread_mutex_unlock(&mutex);
    }
    pthread_join(thread, NULL);
    shmem_finalize();
    return 0;
}
