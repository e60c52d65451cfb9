/* thrille: n=2 */
/* A message in four parts is received in two: when the first half has arrived, what comes after its two parts were ready may not have happened. */
#include <mpi.h>

static long cells[16];
static long value[4];

static void begin_send(MPI_Request *request)
{
#if MPI_VERSION >= 4
    MPI_Psend_init(value, 4, 1, MPI_LONG, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, request);
    MPI_Start(request);
#else
    (void)request;
#endif
}

static void ready(int part, MPI_Request *request)
{
#if MPI_VERSION >= 4
    MPI_Pready(part, *request);
#else
    if (part == 1) {
        MPI_Isend(value, 4, MPI_LONG, 1, 0, MPI_COMM_WORLD, request);
    }
#endif
}

static void receive_half(MPI_Request *request)
{
#if MPI_VERSION >= 4
    int there = 0;
    MPI_Precv_init(value, 2, 2, MPI_LONG, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, request);
    MPI_Start(request);
    while (!there) {
        MPI_Parrived(*request, 0, &there);
    }
#else
    MPI_Irecv(value, 4, MPI_LONG, 0, 0, MPI_COMM_WORLD, request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
#endif
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(cells, sizeof cells, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    long one = 1;
    MPI_Request request = MPI_REQUEST_NULL;
    if (me == 0) {
        begin_send(&request);
        ready(0, &request);
        ready(1, &request);
        MPI_Put(&one, 1, MPI_LONG, 1, 3, 1, MPI_LONG, win); /* race: a */
        MPI_Win_flush(1, win);
        ready(2, &request);
        ready(3, &request);
    }
    if (me == 1) {
        receive_half(&request);
        volatile long seen = cells[3]; /* race: a */
        (void)seen;
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (request != MPI_REQUEST_NULL) {
        MPI_Request_free(&request);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
