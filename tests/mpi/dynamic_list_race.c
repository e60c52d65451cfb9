/* thrille: n=2 */
/* A node of a remote list is published by Compare_and_swap before its value is stored (11.2.4, 11.7). */
#include <mpi.h>
#include <stdlib.h>

struct node { long value; MPI_Aint next; };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Aint *head, none = 0, at = 0, old = 0;
    MPI_Win heads, nodes;
    MPI_Win_allocate(2 * sizeof(MPI_Aint), sizeof(MPI_Aint), MPI_INFO_NULL, MPI_COMM_WORLD, &head, &heads);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &nodes);
    struct node *node = malloc(sizeof *node), copy;
    MPI_Win_attach(nodes, node, sizeof *node);
    head[0] = head[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, heads);
    MPI_Win_lock_all(0, nodes);
    if (me == 1) {
        MPI_Get_address(node, &at);
        node->next = 0;
        MPI_Compare_and_swap(&at, &none, &old, MPI_AINT, 1, 0, heads);
        MPI_Win_flush(1, heads);
        node->value = 42; /* race: a */
    } else {
        while (at == 0) {
            MPI_Fetch_and_op(NULL, &at, MPI_AINT, 1, 0, MPI_NO_OP, heads);
            MPI_Win_flush(1, heads);
        }
        MPI_Get(&copy, sizeof copy, MPI_BYTE, 1, at, sizeof copy, MPI_BYTE, nodes); /* race: a */
        MPI_Win_flush(1, nodes);
    }
    MPI_Win_unlock_all(nodes);
    MPI_Win_unlock_all(heads);
    MPI_Win_detach(nodes, node);
    MPI_Win_free(&nodes);
    MPI_Win_free(&heads);
    free(node);
    MPI_Finalize();
    return 0;
}
