/* thrille: n=2 flags=-pthread */
/* A request is passed to another thread, which completes it and says so (MPI-3.1 3.7.3, 12.4). */
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>

static long x, buffer[4], in[4];
static MPI_Request requests[2];
static sem_t passed, done;

static void *complete(void *arg)
{
    int left = 2, index;
    sem_wait(&passed);
    while (left > 0) {
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        left--;
    }
    sem_post(&done);
    return arg;
}

int main(int argc, char **argv)
{
    int provided, me;
    pthread_t thread;
    volatile long seen;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    sem_init(&passed, 0, 0);
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, complete, NULL);
    MPI_Irecv(in, 4, MPI_LONG, 1 - me, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(buffer, 4, MPI_LONG, 1 - me, 0, MPI_COMM_WORLD, &requests[1]);
    sem_post(&passed);
    sem_wait(&done);
    buffer[2] = 1;
    seen = in[3];
    (void)seen;
    pthread_join(thread, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return x;
}
