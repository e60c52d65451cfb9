/* thrille: n=1,2 */
/* Columns of a matrix whose width is a variable, upwards and downwards. */
#include <shmem.h>
#include <stdlib.h>
static void up(int *x, long width, long rows, long columns)
{
    for (long j = 0; j < columns; j++)
        for (long i = 0; i < rows; i++)
            x[i * width + j] = 1;
}
static void down(int *x, long width, long rows, long columns)
{
    for (long j = columns - 1; j >= 0; j--)
        for (long i = rows - 1; i >= 0; i--)
            x[i * width + j] += 2;
}
int main(int argc, char **argv)
{
    (void)argv;
    shmem_init();
    long width = 699 + argc;
    int *x = calloc(width * 300, sizeof(int));
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        up(x, width, 300, 100);
#pragma omp task
        down(x + 100, width, 300, 100);
    }
    free(x);
    shmem_finalize();
    return 0;
}
