/* thrille: n=2 flags=-pthread */
/* The functions of a generalised request come after its completion, and after nothing that its thread did later. */
#include <mpi.h>
#include <pthread.h>

static MPI_Request request;
static long result, left;

static int query(void *state, MPI_Status *status)
{
    volatile long seen = *(long *)state; /* race: a */
    (void)seen;
    MPI_Status_set_cancelled(status, 0);
    return MPI_Status_set_elements(status, MPI_BYTE, 0);
}

static int over(void *state)
{
    (void)state;
    left = 0;
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
    left = 1;
    MPI_Grequest_complete(request);
    result = 5; /* race: a */
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    pthread_t thread;
    MPI_Grequest_start(query, over, cancel, &result, &request);
    pthread_create(&thread, NULL, work, NULL);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
