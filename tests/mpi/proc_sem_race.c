/* thrille: n=2 flags=-pthread */
/* Semaphores in a shared window: the n-th wait comes after as many posts as it takes, here the producer may be one cell ahead, of one cell. */
#include <mpi.h>
#include <semaphore.h>

struct shared {
    sem_t full, empty;
    long slot;
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, unit;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    struct shared *own, *s;
    MPI_Win win;
    MPI_Aint size;
    MPI_Win_allocate_shared(me == 0 ? sizeof *own : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &win);
    MPI_Win_shared_query(win, 0, &size, &unit, &s);
    if (me == 0) {
        sem_init(&s->full, 1, 0);
        sem_init(&s->empty, 1, 2);
    }
    MPI_Win_fence(0, win);
    volatile long seen;
    for (int i = 0; i < 10; i++) {
        if (me == 0) {
            sem_wait(&s->empty);
            s->slot = i; /* race: a */
            sem_post(&s->full);
        } else {
            sem_wait(&s->full);
            seen = s->slot; /* race: a */
            sem_post(&s->empty);
        }
    }
    (void)seen;
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
