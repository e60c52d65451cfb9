/* thrille: n=2 */
/* The origin is three variables by their addresses, from MPI_BOTTOM: the second one is written before the put is locally complete (4.1.5, 11.5.4). */
#include <mpi.h>

static long x[4];
static long a = 1, gap1, b = 2, gap2, c = 3;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    MPI_Aint at[3];
    MPI_Get_address(&a, &at[0]);
    MPI_Get_address(&c, &at[1]);
    MPI_Get_address(&b, &at[2]);
    int lengths[3] = {1, 1, 1};
    MPI_Datatype scattered;
    MPI_Type_create_hindexed(3, lengths, at, MPI_LONG, &scattered);
    MPI_Type_commit(&scattered);
    if (me == 0) {
        MPI_Put(MPI_BOTTOM, 1, scattered, 1, 0, 3, MPI_LONG, win); /* race: a */
        MPI_Type_free(&scattered);
        gap1 = gap2 = 9;
        b = 5; /* race: a */
        MPI_Win_flush(1, win);
    } else {
        MPI_Type_free(&scattered);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
