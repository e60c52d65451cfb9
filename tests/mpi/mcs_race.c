/* thrille: n=3 */
/* A queue lock by hand: the counter is put back without a flush before the lock is handed on (11.5.4, 11.7). */
#include <mpi.h>
#include <stddef.h>

enum { TAIL, NEXT, BLOCKED, COUNTER };
static int x[4];
static MPI_Win win;
static void set(int value, int rank, int at) { MPI_Accumulate(&value, 1, MPI_INT, rank, at, 1, MPI_INT, MPI_REPLACE, win); MPI_Win_flush(rank, win); }
static int get(int rank, int at) { int value; MPI_Fetch_and_op(NULL, &value, MPI_INT, rank, at, MPI_NO_OP, win); MPI_Win_flush(rank, win); return value; }

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    x[TAIL] = x[NEXT] = -1;
    MPI_Win_create(x, sizeof(x), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    for (int round = 0; round < 2; round++) {
        int before, none = -1, old, next;
        set(-1, me, NEXT);
        set(1, me, BLOCKED);
        MPI_Fetch_and_op(&me, &before, MPI_INT, 0, TAIL, MPI_REPLACE, win);
        MPI_Win_flush(0, win);
        if (before != -1) {
            set(me, before, NEXT);
            while (get(me, BLOCKED))
                ;
        }
        int value;
        MPI_Get(&value, 1, MPI_INT, 0, COUNTER, 1, MPI_INT, win); /* race: a */
        MPI_Win_flush(0, win);
        value++;
        MPI_Put(&value, 1, MPI_INT, 0, COUNTER, 1, MPI_INT, win); /* race: a, b b */
        MPI_Win_flush_local(0, win);
        next = get(me, NEXT);
        if (next == -1) {
            MPI_Compare_and_swap(&none, &me, &old, MPI_INT, 0, TAIL, win);
            MPI_Win_flush(0, win);
            if (old != me) {
                while ((next = get(me, NEXT)) == -1)
                    ;
            }
        }
        if (next != -1)
            set(0, next, BLOCKED);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
