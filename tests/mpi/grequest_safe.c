/* thrille: n=2 flags=-pthread */
/* The wait for a generalised request comes after what a thread did before MPI_Grequest_complete. */
#include <mpi.h>
#include <pthread.h>

static MPI_Request request;
static long result;

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_cancelled(status, 0);
    return MPI_Status_set_elements(status, MPI_BYTE, 0);
}

static int over(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static void *work(void *argument)
{
    (void)argument;
    result = 5;
    MPI_Grequest_complete(request);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    pthread_t thread;
    MPI_Grequest_start(query, over, cancel, NULL, &request);
    pthread_create(&thread, NULL, work, NULL);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    volatile long seen = result;
    (void)seen;
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
