/* thrille: n=3 */
/* The lock is released before the put under it, on another window, has been completed: the next holder's put may
   meet it. */
#include <mpi.h>

static long lock[4], x[4];
static long zero, one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win, data;
    MPI_Win_create(lock, sizeof(lock), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &data);
    MPI_Win_lock_all(0, win);
    MPI_Win_lock_all(0, data);
    if (me != 2) {
        long old;
        do {
            MPI_Compare_and_swap(&one, &zero, &old, MPI_LONG, 2, 0, win);
            MPI_Win_flush(2, win);
        } while (old != 0);
        MPI_Put(&one, 1, MPI_LONG, 2, 0, 1, MPI_LONG, data); /* race: a a */
        MPI_Compare_and_swap(&zero, &one, &old, MPI_LONG, 2, 0, win);
        MPI_Win_flush(2, win);
    }
    MPI_Win_unlock_all(data);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&data);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
