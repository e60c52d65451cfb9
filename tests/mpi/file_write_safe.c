/* thrille: n=2 */
/* MPI_File_write reads its buffer: a put to it that is ordered before. */
#include <mpi.h>
#include <stdio.h>

static long cells[16];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    char name[64];
    snprintf(name, sizeof name, "thrille-%d-write.dat", me);
    MPI_File file;
    int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    MPI_File_open(MPI_COMM_SELF, name, mode, MPI_INFO_NULL, &file);
    MPI_Win win;
    MPI_Win_create(cells, sizeof cells, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    long value = 1;
    if (me == 0) {
        MPI_Put(&value, 1, MPI_LONG, 1, 3, 1, MPI_LONG, win);
        MPI_Win_flush(1, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1) {
        MPI_File_write(file, &cells[3], 1, MPI_LONG, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
