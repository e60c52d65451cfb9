/* thrille: n=2 flags=-O2 */
/* std::array::fill by constants, which compilers would do in place, of what another rank puts to. */
#include <array>
#include <mpi.h>

static std::array<char, 32> first, second;

__attribute__((noinline)) static void clear(std::array<char, 32> &all)
{
    all.fill(1); /* race: a */
}

int main(int argc, char **argv)
{
    int me;
    char byte = 5;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win_create(first.data(), first.size(), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (me == 1)
        MPI_Put(&byte, 1, MPI_BYTE, 0, 31, 1, MPI_BYTE, win); /* race: a */
    else
        clear(first);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return second[3] == 7;
}
