/* thrille: n=2 flags=-pthread */
/* A process-shared mutex in memory of shm_open, of no window: what is loaded before it is taken is not apart from what is stored under it. */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, key = (int)getpid();
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Bcast(&key, 1, MPI_INT, 0, MPI_COMM_WORLD);
    char name[64];
    snprintf(name, sizeof name, "/thrille-mpi-mutex-%d", key);
    int fd = shm_open(name, O_CREAT | O_RDWR, 0600);
    if (ftruncate(fd, 4096) != 0)
        return 1;
    pthread_mutex_t *mutex = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (me == 0) {
        pthread_mutexattr_t attr;
        pthread_mutexattr_init(&attr);
        pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
        pthread_mutex_init(mutex, &attr);
    }
    long *own, *cell, now;
    int unit;
    MPI_Aint size;
    MPI_Win win;
    MPI_Win_allocate_shared(me == 0 ? sizeof(long) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &win);
    MPI_Win_shared_query(win, 0, &size, &unit, &cell);
    if (me == 0)
        *cell = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    now = *cell; /* race: a */
    pthread_mutex_lock(mutex);
    *cell = now + 1; /* race: a */
    pthread_mutex_unlock(mutex);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0)
        shm_unlink(name);
    munmap(mutex, 4096);
    close(fd);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
