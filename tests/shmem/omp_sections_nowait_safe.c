/* thrille: n=2 */
/* The barrier at the end of sections. */
#include <shmem.h>

static long a, b;

static int f(int k)
{
    int x[8];
    for (int i = 0; i < 8; i++)
        x[i] = i * k;
    return x[7];
}

int main(void)
{
    shmem_init();
    volatile long seen = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp sections
        {
#pragma omp section
            a = f(1);
#pragma omp section
            b = f(2);
        }
        long mine = a;
        mine += b;
#pragma omp critical
        seen += mine;
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
