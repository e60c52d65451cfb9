/* thrille: n=1 */
/* A wavefront by dependences; the left neighbour is forgotten. */
#include <shmem.h>
static int w[8][8];
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        for (int i = 1; i < 8; i++)
            for (int j = 1; j < 8; j++)
#pragma omp task depend(in : w[i - 1][j], w[i][j - 1]) depend(out : w[i][j])
                w[i][j] = w[i - 1][j] + w[i][j - 1];
    }
    shmem_finalize();
    return 0;
}
