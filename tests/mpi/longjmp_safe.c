/* thrille: n=2 */
/* A function that gives up by longjmp has put and flushed (11.5.4). */
#include <mpi.h>
#include <setjmp.h>

static long x[2];
static long one = 1;
static jmp_buf back;
static MPI_Win win;
static void descend(int depth)
{
    if (depth > 0)
        descend(depth - 1);
    MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
    MPI_Win_flush(1, win);
    longjmp(back, 1);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    volatile long seen = 0;
    if (me == 0 && setjmp(back) == 0)
        descend(6);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        seen = x[0];
    (void)seen;
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
