/* thrille: n=2 */
/* strtol reads the text of the window while a put to it is under way (11.5.1). */
#include <mpi.h>
#include <stdlib.h>

static char text[16] = "123";
static char from[16] = "456";

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    MPI_Win_create(text, sizeof(text), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    volatile long sum = 0;
    if (me == 0)
        MPI_Put(from, 4, MPI_CHAR, 1, 0, 4, MPI_CHAR, win); /* race: a */
    if (me == 1)
        sum += strtol(text, NULL, 10); /* race: a */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
