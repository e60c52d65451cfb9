/* thrille: n=2 */
/* A program that has sessions and no world, if the library knows them: a fence between put and load. */
#include <mpi.h>

static long x[4];
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Comm comm = MPI_COMM_NULL;
#if MPI_VERSION >= 4
    MPI_Session session;
    MPI_Group group;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "session", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    (void)argc;
    (void)argv;
#else
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
#endif
    int me;
    MPI_Comm_rank(comm, &me);
    volatile long seen = 0;
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, comm, &win);
    MPI_Win_fence(0, win);
    if (me == 0)
        MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
    if (me == 1)
        seen = x[0];
    MPI_Win_fence(0, win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Comm_free(&comm);
#if MPI_VERSION >= 4
    MPI_Session_finalize(&session);
#else
    MPI_Finalize();
#endif
    return 0;
}
