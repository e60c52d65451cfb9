/* thrille: n=3 */
/* A farm: results are put and told of by messages; the master's receives from any source are posted ahead. The put is not complete (11.5.4). */
#include <mpi.h>

enum { TASKS = 6 };
static long results[TASKS];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    MPI_Win_create(results, sizeof(results), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0) {
        int told[2], given = 0, which;
        long sum = 0;
        MPI_Request requests[2];
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&told[i], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[i]);
        for (; given < 2; given++)
            MPI_Send(&given, 1, MPI_INT, given + 1, 2, MPI_COMM_WORLD);
        for (int done = 0; done < TASKS; done++) {
            MPI_Status status;
            MPI_Waitany(2, requests, &which, &status);
            int task = told[which], stop = -1;
            if (done < TASKS - 2)
                MPI_Irecv(&told[which], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[which]);
            sum += results[task]; /* race: a */
            MPI_Send(given < TASKS ? &given : &stop, 1, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
            given++;
        }
    } else {
        int task;
        for (;;) {
            MPI_Recv(&task, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (task < 0)
                break;
            long result = task * task;
            MPI_Put(&result, 1, MPI_LONG, 0, task, 1, MPI_LONG, win); /* race: a */
            MPI_Win_flush_local(0, win);
            MPI_Send(&task, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        }
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
