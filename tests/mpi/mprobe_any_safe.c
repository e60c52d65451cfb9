/* thrille: n=3 */
/* Two matching probes have taken the messages of both senders (3.8.2). */
#include <mpi.h>

static long x[3];
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    volatile long seen = 0;
    MPI_Message message;
    MPI_Status status;
    int got;
    if (me > 0) {
        MPI_Put(&one, 1, MPI_LONG, 0, me, 1, MPI_LONG, win);
        MPI_Win_flush(0, win);
        MPI_Send(&me, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
    } else {
        MPI_Mprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        seen = x[got];
        MPI_Mprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        seen = x[got];
    }
    (void)seen;
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    
    MPI_Finalize();
    return 0;
}
