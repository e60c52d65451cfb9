/* thrille: n=3 */
/* A ticket lock by hand; the next one is called before the update is complete (11.5.4, 11.7). */
#include <mpi.h>
#include <stddef.h>

enum { NEXT, SERVED, VALUE };
static long x[3];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    long one = 1, ticket, served, value;
    for (int round = 0; round < 3; round++) {
        MPI_Fetch_and_op(&one, &ticket, MPI_LONG, 0, NEXT, MPI_SUM, win);
        MPI_Win_flush(0, win);
        do {
            MPI_Fetch_and_op(NULL, &served, MPI_LONG, 0, SERVED, MPI_NO_OP, win);
            MPI_Win_flush_all(win);
        } while (served != ticket);
        MPI_Get(&value, 1, MPI_LONG, 0, VALUE, 1, MPI_LONG, win); /* race: a */
        MPI_Win_flush(0, win);
        value++;
        MPI_Put(&value, 1, MPI_LONG, 0, VALUE, 1, MPI_LONG, win); /* race: a, b b */
        MPI_Accumulate(&one, 1, MPI_LONG, 0, SERVED, 1, MPI_LONG, MPI_SUM, win);
        MPI_Win_flush(0, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
