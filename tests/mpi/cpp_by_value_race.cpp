/* thrille: n=2 */
/* Small classes by value, to and from functions that may throw, while another rank puts there. */
#include <mpi.h>
#include <stdexcept>

struct Vector {
    double x, y, z;
    Vector operator+(Vector other) const { return { x + other.x, y + other.y, z + other.z }; }
};
static Vector shared[4], origin = { 1, 2, 3 };

static double dot(Vector a, Vector b)
{
    if (a.x < 0)
        throw std::runtime_error("negative");
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static Vector scaled(Vector a, double by)
{
    if (by < 0)
        throw std::runtime_error("negative");
    return { a.x * by, a.y * by, a.z * by };
}

int main(int argc, char **argv)
{
    int me;
    double sum = 0;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win_create(shared, sizeof(shared), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int round = 0; round < 2; round++) {
        MPI_Win_fence(0, win);
        if (me == 1) {
            if (round == 0)
                MPI_Put(&origin, 24, MPI_BYTE, 0, 24, 24, MPI_BYTE, win); /* race: a */
            else
                MPI_Put(&origin, 24, MPI_BYTE, 0, 48, 24, MPI_BYTE, win); /* race: b */
        } else {
            try {
                Vector other = { sum, 2, 3 };
                if (round == 0)
                    sum += dot(other, shared[1]); /* race: a */
                else
                    shared[2] = scaled(other + other, 3); /* race: b */
            } catch (const std::runtime_error &) {
                sum = -1;
            }
        }
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
