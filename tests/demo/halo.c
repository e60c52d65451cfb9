/* Heat in a rod, cut into pieces of CELLS: each PE sends its outermost cells to its neighbours and computes the next step. */
#include <shmem.h>
#include <stdio.h>

enum { CELLS = 100, STEPS = 50 };

/* heat[0] and heat[CELLS + 1] hold the neighbours' cells. */
static double heat[CELLS + 2];

static void exchange(int left, int right)
{
    shmem_double_put(&heat[CELLS + 1], &heat[1], 1, left);
    shmem_double_put(&heat[0], &heat[CELLS], 1, right);
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    if (me == 0)
        heat[CELLS / 2] = 1000;
    for (int step = 0; step < STEPS; step++) {
        exchange((me + n - 1) % n, (me + 1) % n); /* a barrier is missing after this line */
        double next[CELLS + 2];
        for (int i = 1; i <= CELLS; i++)
            next[i] = (heat[i - 1] + heat[i] + heat[i + 1]) / 3;
        shmem_barrier_all();
        for (int i = 1; i <= CELLS; i++)
            heat[i] = next[i];
    }
    printf("PE %d of %d: %.3f in the middle\n", me, n, heat[CELLS / 2]);
    shmem_finalize();
    return 0;
}
