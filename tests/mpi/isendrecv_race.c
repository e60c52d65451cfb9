/* thrille: n=2 */
/* The buffer that is sent is changed before Wait. */
#include <mpi.h>

#if MPI_VERSION >= 4
#define EXCHANGE(out, in, peer, request) MPI_Isendrecv(out, 1, MPI_LONG, peer, 7, in, 1, MPI_LONG, peer, 7, MPI_COMM_WORLD, request)
#else
#define EXCHANGE(out, in, peer, request) (MPI_Irecv(in, 1, MPI_LONG, peer, 7, MPI_COMM_WORLD, (request) + 1), MPI_Isend(out, 1, MPI_LONG, peer, 7, MPI_COMM_WORLD, request))
#endif

static long x[4];
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    long out = 1;
    long in = 0;
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Put(&one, 1, MPI_LONG, 1 - me, 0, 1, MPI_LONG, win);
    MPI_Win_flush(1 - me, win);
    EXCHANGE(&out, &in, 1 - me, request); /* race: a */
    out = 2; /* race: a */
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    seen = x[0] + in;
    (void)out;
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
