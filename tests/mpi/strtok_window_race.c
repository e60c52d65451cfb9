/* thrille: n=2 */
/* strtok writes ends into the text of the window that the other rank gets (11.5.1). */
#include <mpi.h>
#include <string.h>

static char text[16] = "a b c";

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    char copy[16];
    MPI_Win_create(text, sizeof(text), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (me == 0)
        MPI_Get(copy, 8, MPI_CHAR, 1, 0, 8, MPI_CHAR, win); /* race: a */
    if (me == 1)
        strtok(text, " "); /* race: a */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
