/* thrille: n=2 */
/* The functions of an attribute are the program: that which copies it stores into the window while another rank puts. */
#include <mpi.h>

static long x[4];

static int copy(MPI_Comm comm, int key, void *extra, void *from, void *to, int *there)
{
    (void)comm;
    (void)key;
    *(long *)extra = 3; /* race: a */
    *(void **)to = from;
    *there = 1;
    return MPI_SUCCESS;
}

static int gone(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    ((long *)extra)[1] = 4; /* race: b */
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    int key;
    long value = 1, put[2] = {5, 6};
    MPI_Comm again;
    MPI_Comm_create_keyval(copy, gone, &key, x);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &value);
    MPI_Win_fence(0, win);
    if (me == 1) {
        MPI_Put(put, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win); /* race: a */
        MPI_Put(put + 1, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win); /* race: b */
    }
    if (me == 0) {
        MPI_Comm_dup(MPI_COMM_SELF, &again);
        MPI_Comm_free(&again);
    }
    MPI_Win_fence(0, win);
    MPI_Comm_delete_attr(MPI_COMM_SELF, key);
    MPI_Comm_free_keyval(&key);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
