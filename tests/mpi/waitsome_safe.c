/* thrille: n=2 */
/* Three gets, and a loop over Waitsome until all are there (3.7.5, 11.3.5). */
#include <mpi.h>

static long x[3] = {1, 2, 3};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    long got[3], sum = 0;
    MPI_Request requests[3];
    if (me == 0) {
        for (int i = 0; i < 3; i++)
            MPI_Rget(&got[i], 1, MPI_LONG, 1, i, 1, MPI_LONG, win, &requests[i]);
        int left = 3, some, which[3];
        while (left > 0) {
            MPI_Waitsome(3, requests, &some, which, MPI_STATUSES_IGNORE);
            for (int i = 0; i < some; i++)
                sum += got[which[i]];
            left -= some;
        }
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
