/* thrille: n=3 */
/* Sparse exchange: the put was completed before the synchronous send that its target receives (3.8, 5.12, 11.5.4). */
#include <mpi.h>

static long x[4];
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
    int to = (me + 1) % n, token = me, entered = 0, over = 0, got = 0;
    MPI_Request sent, barrier = MPI_REQUEST_NULL;
    volatile long seen = 0;
    MPI_Put(&one, 1, MPI_LONG, to, 0, 1, MPI_LONG, win);
    MPI_Win_flush(to, win);
    MPI_Issend(&token, 1, MPI_INT, to, 7, MPI_COMM_WORLD, &sent);
    while (!over) {
        int there, done;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &there, &status);
        if (there) {
            MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            seen = x[0];
        }
        if (entered) {
            MPI_Test(&barrier, &over, MPI_STATUS_IGNORE);
        } else {
            MPI_Test(&sent, &done, MPI_STATUS_IGNORE);
            if (done) {
                MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
                entered = 1;
            }
        }
    }
    (void)seen;
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
