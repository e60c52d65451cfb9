/* thrille: n=2 flags=-O2 */
/* Both branches of a condition store to, load from or put the same: compilers would make one access of them, at the line of one or of none. */
#include <mpi.h>

static volatile int which;
static volatile long seen;
static MPI_Win win;
static long *x, y;

static __attribute__((noinline)) void store(int c)
{
    if (c)
        x[1] = 5; /* race: a */
    else
        x[1] = 6; /* race: b */
}

static __attribute__((noinline)) long load(int c)
{
    if (c)
        return x[1] + 3; /* race: c */
    else
        return x[1] * 5; /* race: d */
}

static __attribute__((noinline)) void send(int c, int other)
{
    if (c) {
        which = 7;
        MPI_Put(&y, 1, MPI_LONG, other, 1, 1, MPI_LONG, win); /* race: a, c, e */
    } else {
        which = 8;
        MPI_Put(&y, 1, MPI_LONG, other, 1, 1, MPI_LONG, win); /* race: b, d, f */
    }
}

int main(int argc, char **argv)
{
    int me;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win_allocate(64, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    x[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    which = me;
    send(1 - which, 1 - me);
    y = 2; /* race: e, f */
    which = me;
    store(which);
    seen = load(which);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
