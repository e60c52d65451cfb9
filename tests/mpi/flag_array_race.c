/* thrille: n=2 */
/* Two flags raised by one accumulate of two elements, one of them polled: the data is complete only after that (11.5.4, 11.7.2). */
#include <mpi.h>
#include <stddef.h>

static long x[4];
static long ones[2] = {1, 1};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    long flag = 0;
    if (me == 0) {
        MPI_Put(ones, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); /* race: a */
        MPI_Accumulate(ones, 2, MPI_LONG, 0, 2, 2, MPI_LONG, MPI_SUM, win);
        MPI_Win_flush(0, win);
    } else {
        while (flag == 0) {
            MPI_Fetch_and_op(NULL, &flag, MPI_LONG, 0, 3, MPI_NO_OP, win);
            MPI_Win_flush(0, win);
        }
        seen = x[0]; /* race: a */
    }
    (void)seen;
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
