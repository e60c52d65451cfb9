/* thrille: n=2 flags=-pthread */
/* Threads, mutexes and joining of C11. */
#include <mpi.h>
#include <threads.h>

static long x[4];
static mtx_t mutex;

static int adds(void *argument)
{
    (void)argument;
    mtx_lock(&mutex);
    x[0]++;
    mtx_unlock(&mutex);
    return 7;
}

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    mtx_init(&mutex, mtx_plain);
    thrd_t thread;
    int result;
    thrd_create(&thread, adds, NULL);
    mtx_lock(&mutex);
    x[0]++;
    mtx_unlock(&mutex);
    thrd_join(thread, &result);
    x[0] += result;
    MPI_Win_free(&win);
    MPI_Finalize();
    return result == 7 ? 0 : 1;
}
