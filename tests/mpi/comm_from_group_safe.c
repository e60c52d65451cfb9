/* thrille: n=2 */
/* Of two communicators made from one group, the message on the second was sent after the put. */
#include <mpi.h>
#include <stdlib.h>

static long x[4];
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm first, second;
#if MPI_VERSION >= 4
    MPI_Group group;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Comm_create_from_group(group, "first", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
    MPI_Comm_create_from_group(group, "second", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
    MPI_Group_free(&group);
#else
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
#endif
    int me;
    MPI_Comm_rank(first, &me);
    volatile long seen = 0;
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0) {
        MPI_Send(NULL, 0, MPI_BYTE, 1, 0, first);
        MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
        MPI_Win_flush(1, win);
        MPI_Send(NULL, 0, MPI_BYTE, 1, 0, second);
    }
    if (me == 1) {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, second, MPI_STATUS_IGNORE);
        seen = x[0];
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, first, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
    MPI_Finalize();
    return 0;
}
