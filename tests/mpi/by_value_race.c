/* thrille: n=2 */
/* A call copies structures out of a window to pass them by value, and leaves its result there, while another rank puts there. */
#include <mpi.h>

struct one { int i; };
struct two { double x, y; };
struct three { double x[3]; };
static struct { struct one a; struct two b; struct three c, made; } shared[2];
static struct three origin = { { 1, 2, 3 } };

static int first(struct one a) { return a.i; }
static double second(int n, struct two b) { return n * b.x; }
static double third(struct three c, double by) { return c.x[1] * by; }
static struct three make(double x) { struct three c = { { x, x, x } }; return c; }

int main(int argc, char **argv)
{
    int me;
    double sum = 0;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win_create(shared, sizeof(shared), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (me == 1) {
        MPI_Aint at = (MPI_Aint)sizeof(shared[0]), in = (char *)&shared[0].b - (char *)shared;
        MPI_Put(&origin, 4, MPI_BYTE, 0, at, 4, MPI_BYTE, win); /* race: a */
        MPI_Put(&origin, 16, MPI_BYTE, 0, at + in, 16, MPI_BYTE, win); /* race: b */
        MPI_Put(&origin, 24, MPI_BYTE, 0, at + in + 16, 24, MPI_BYTE, win); /* race: c */
        MPI_Put(&origin, 24, MPI_BYTE, 0, at + in + 40, 24, MPI_BYTE, win); /* race: d */
    } else {
        sum += first(shared[1].a); /* race: a */
        sum += second(3, shared[1].b); /* race: b */
        sum += third(shared[1].c, 2); /* race: c */
        shared[1].made = make(sum); /* race: d */
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
