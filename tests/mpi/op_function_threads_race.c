/* thrille: n=2 flags=-pthread */
/* Two threads reduce with one operator, whose function counts without a lock. What the library hands it is nobody's but the library's. */
#include <mpi.h>
#include <pthread.h>

static long applied;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static MPI_Comm comms[2];
static MPI_Op op;

static void add(void *from, void *into, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((long *)into)[i] += ((long *)from)[i];
    applied += *n; /* race: a a */
}

static void *reduce(void *argument)
{
    long mine[16] = {1}, sum[16], all[16];
    for (int i = 0; i < 4; i++) {
        MPI_Allreduce(mine, sum, 16, MPI_LONG, op, *(MPI_Comm *)argument);
        MPI_Reduce_local(mine, sum, 16, MPI_LONG, op);
        MPI_Scan(mine, all, 16, MPI_LONG, op, *(MPI_Comm *)argument);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    pthread_mutex_lock(&guard);
    pthread_mutex_unlock(&guard);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Op_create(add, 1, &op);
    pthread_t thread;
    pthread_create(&thread, NULL, reduce, &comms[0]);
    reduce(&comms[1]);
    pthread_join(thread, NULL);
    MPI_Op_free(&op);
    MPI_Comm_free(&comms[0]);
    MPI_Comm_free(&comms[1]);
    MPI_Finalize();
    return 0;
}
