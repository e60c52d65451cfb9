/* thrille: n=2 */
/* Complex numbers in a window, each of which is loaded in a statement of its own, next to the one that is put. */
#include <complex.h>
#include <mpi.h>

static double complex z[4], put;

int main(int argc, char **argv)
{
    int me;
    double part = 0;
    double complex y = 1 + 2 * I;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win_create(z, sizeof(z), sizeof(*z), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (me == 1) {
        MPI_Put(&put, 1, MPI_C_DOUBLE_COMPLEX, 0, 2, 1, MPI_C_DOUBLE_COMPLEX, win);
    } else {
        part += 1;
        y = z[1];
        part += 2;
        y *= z[1];
        part += cimag(z[1]);
        part += 3;
        if (z[1] == y)
            part += 4;
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return part + creal(y) < -1e9;
}
