/* thrille: n=3 */
/* The words beside those that are put. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    long *mine, *all, ones[6] = {1, 1, 1, 1, 1, 1};
    MPI_Aint size;
    int unit;
    MPI_Win shared, win;
    MPI_Datatype some;
    MPI_Type_vector(6, 1, 4, MPI_LONG, &some);
    MPI_Type_commit(&some);
    MPI_Win_allocate_shared(8 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &shared);
    MPI_Win_shared_query(shared, 0, &size, &unit, &all);
    MPI_Win_create(all, me == 0 ? 24 * sizeof(long) : 0, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, shared);
    MPI_Win_lock_all(0, win);
    if (me == 2) {
        MPI_Put(ones, 6, MPI_LONG, 0, 3, 1, some, win);
        MPI_Win_flush(0, win);
    }
    if (me == 1)
        seen = mine[2];
    if (me == 0)
        all[14] = 1;
    MPI_Win_unlock_all(win);
    MPI_Win_unlock_all(shared);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Win_free(&shared);
    MPI_Type_free(&some);
    MPI_Finalize();
    return 0;
}
