/* thrille: n=2 flags=-pthread */
/* Two threads of a rank match items by Mprobe (MPI-3.1 12.4.1, 3.8.2: which of them gets which is not told); each gets the cell behind that of its item too. */
#include <mpi.h>
#include <pthread.h>

enum { ITEMS = 30 };
static long x[ITEMS + 1];
static MPI_Win win;

static void *work(void *arg)
{
    for (;;) {
        long item, got;
        MPI_Message message;
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(&item, 1, MPI_LONG, &message, MPI_STATUS_IGNORE);
        if (item < 0)
            return arg;
        MPI_Get(&got, 1, MPI_LONG, 0, item + 1, 1, MPI_LONG, win); /* race: a */
        MPI_Win_flush(0, win);
    }
}

int main(int argc, char **argv)
{
    int provided, me;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0) {
        long over = -1;
        for (long i = 0; i < ITEMS; i++) {
            x[i] = i; /* race: a */
            MPI_Send(&i, 1, MPI_LONG, 1, 4, MPI_COMM_WORLD);
        }
        for (int i = 0; i < 2; i++)
            MPI_Send(&over, 1, MPI_LONG, 1, 4, MPI_COMM_WORLD);
    } else {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
        work(NULL);
        pthread_join(thread, NULL);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
