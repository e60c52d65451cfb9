/* thrille: n=2 flags=-pthread */
/* What a writer did comes before what a reader of the lock does who saw it. */
#include <mpi.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static long data, ready;

static void *reads(void *argument)
{
    volatile long seen = 0;
    while (seen == 0) {
        pthread_rwlock_rdlock(&lock);
        seen = ready;
        pthread_rwlock_unlock(&lock);
    }
    seen = data;
    return argument;
}

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    pthread_t thread;
    pthread_create(&thread, NULL, reads, NULL);
    data = 1;
    pthread_rwlock_wrlock(&lock);
    ready = 1;
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
