/* thrille: n=2 flags=-fopenmp */
/* Tickets by atomic capture, and slots by a ticket that is rounded. */
#include <mpi.h>

enum { N = 16 };
static long x[N], slot[N];

int main(int argc, char **argv)
{
    int provided, me, next = 0;
    MPI_Win win;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
#pragma omp parallel num_threads(2)
    for (int i = 0; i < N / 2; i++) {
        int ticket;
#pragma omp atomic capture
        ticket = next++;
        slot[i] = ticket; /* race: a a */
    }
    MPI_Put(slot, N, MPI_LONG, 1 - me, 0, N, MPI_LONG, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
