/* thrille: n=2,4 */
/* A barrier after MPI_Reduce: what the operator's function stored is there, and what it was handed is not told. */
#include <mpi.h>

static long *applied;

static void add(void *from, void *into, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((long *)into)[i] += ((long *)from)[i];
    applied[0] = *n;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_allocate(8 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &applied, &win);
    MPI_Op op;
    MPI_Op_create(add, 1, &op);
    MPI_Barrier(MPI_COMM_WORLD);
    long mine[2] = {me, 1}, got = 0;
    /* The result goes to the window, too. */
    MPI_Reduce(mine, applied + 4, 2, MPI_LONG, op, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        MPI_Get(&got, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
        MPI_Win_unlock(0, win);
    }
    MPI_Op_free(&op);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
