/* thrille: n=2 */
/* Without the barrier at its end, nobody comes after a construct that others are in. */
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
#pragma omp sections nowait
        {
#pragma omp section
            a = f(1); /* race: a */
#pragma omp section
            b = f(2); /* race: b */
        }
        long mine = a; /* race: a */
        mine += b; /* race: b */
#pragma omp critical
        seen += mine;
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
