/* thrille: n=2 */
/* Rank 1 stores to the member that the type of the put leaves out. */
#include <mpi.h>
#include <stddef.h>

struct cell {
    int count;
    double value;
    char name[16];
};

static struct cell x, from;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Datatype type;
    int lengths[2] = {1, 16};
    MPI_Aint places[2] = {offsetof(struct cell, count), offsetof(struct cell, name)};
    MPI_Datatype types[2] = {MPI_INT, MPI_CHAR};
    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_commit(&type);
    MPI_Win_create(&x, sizeof(x), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0)
        MPI_Put(&from, 1, type, 1, 0, 1, type, win);
    if (me == 1)
        x.value = 2;
    MPI_Win_unlock_all(win);
    MPI_Type_free(&type);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
