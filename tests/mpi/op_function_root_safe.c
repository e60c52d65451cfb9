/* thrille: n=4 */
/* Whatever the operator's function does on the way to the root is over when the root has the result. */
#include <mpi.h>

static long *factor;

static void add(void *from, void *into, int *n, MPI_Datatype *type)
{
    (void)type;
    volatile long seen = factor[0];
    for (int i = 0; i < *n; i++)
        ((long *)into)[i] += seen * ((long *)from)[i];
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &factor, &win);
    factor[0] = 1;
    MPI_Op op;
    MPI_Op_create(add, 1, &op);
    MPI_Barrier(MPI_COMM_WORLD);
    long mine = me, sum = 0, two = 2;
    MPI_Reduce(&mine, &sum, 1, MPI_LONG, op, 0, MPI_COMM_WORLD);
    if (me == 0) {
        for (int to = 1; to < n; to++) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, win);
            MPI_Put(&two, 1, MPI_LONG, to, 0, 1, MPI_LONG, win);
            MPI_Win_unlock(to, win);
        }
    }
    MPI_Op_free(&op);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
