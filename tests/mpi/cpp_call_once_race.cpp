/* thrille: n=2 */
/* One thread gets a value by std::call_once; the other reads it without. */
#include <mpi.h>
#include <mutex>
#include <thread>
static long w[2], value;
int main(int argc, char **argv)
{
    int provided, me;
    MPI_Win win;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win_create(w, sizeof w, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    std::once_flag once;
    auto fetch = [&] {
        MPI_Get(&value, 1, MPI_LONG, 1 - me, 0, 1, MPI_LONG, win); /* race: a */
        MPI_Win_flush(1 - me, win);
    };
    std::thread one([&] {
        volatile long seen;
        std::call_once(once, fetch);
        seen = value;
        (void)seen;
    });
    std::thread two([&] {
        volatile long seen;
        seen = value; /* race: a */
        (void)seen;
    });
    one.join();
    two.join();
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
