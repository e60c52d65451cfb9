/* thrille: n=2 */
/* The guards of both sides hold shared locks. */
#include <mpi.h>

static long x[4];
static long one = 1;

class Guard {
public:
    explicit Guard(MPI_Win window) : window(window)
    {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    }
    void release()
    {
        MPI_Win_unlock(1, window);
    }

private:
    MPI_Win window;
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    Guard guard(win);
    if (me == 0)
        MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); /* race: a */
    if (me == 1)
        x[0] = 2; /* race: a */
    guard.release();
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
