/* thrille: n=2 */
/* The origin buffer of a put, from MPI_Alloc_mem, is given back while the put may still read it (8.2, 11.5.4). */
#include <mpi.h>

static long x[4];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0) {
        long *from;
        MPI_Alloc_mem(4 * sizeof(long), MPI_INFO_NULL, &from);
        from[0] = 1;
        MPI_Put(from, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); /* race: a */
        MPI_Free_mem(from); /* race: a */
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    
    MPI_Finalize();
    return 0;
}
