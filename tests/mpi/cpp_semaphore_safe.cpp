/* thrille: n=2 flags=-std=c++20 */
/* Two buffers and counting_semaphores (thread.sema): release before the acquire that it lets pass. */
#include <mpi.h>
#include <semaphore>
#include <thread>

static long buffer[2];
static std::counting_semaphore<2> vacant{2}, full{0};

int main(int argc, char **argv)
{
    int provided, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    long *w;
    MPI_Win win;
    MPI_Win_allocate(16 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &w, &win);
    MPI_Win_lock_all(0, win);
    std::jthread producer([] {
        for (int i = 0; i < 16; i++) {
            vacant.acquire();
            buffer[i % 2] = i;
            full.release();
        }
    });
    for (int i = 0; i < 16; i++) {
        full.acquire();
        MPI_Put(&buffer[i % 2], 1, MPI_LONG, 1 - rank, i, 1, MPI_LONG, win);
        MPI_Win_flush_local(1 - rank, win);
        vacant.release();
    }
    producer.join();
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
