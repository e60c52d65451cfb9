/* thrille: n=2 */
/* The buffer of MPI_File_write_all_begin is in use until MPI_File_write_all_end. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    char name[64];
    snprintf(name, sizeof name, "thrille-%d-split.dat", me);
    MPI_File file;
    int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    MPI_File_open(MPI_COMM_SELF, name, mode, MPI_INFO_NULL, &file);
    long value = 1;
    MPI_File_write_all_begin(file, &value, 1, MPI_LONG); /* race: a */
    value = 2; /* race: a */
    MPI_File_write_all_end(file, &value, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
