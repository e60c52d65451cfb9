/* thrille: n=2 */
/* Tasks have variables on the stack: each thread uses the same memory for one after the other, and for what it does in between. */
#include <omp.h>
#include <shmem.h>

static long seen[64];

static long deep(int n)
{
    volatile long b[50];
    for (int k = 0; k < 50; k++)
        b[k] = n + k;
    return n > 0 ? b[1] + deep(n - 1) : b[0];
}

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < 64; i++) {
#pragma omp task firstprivate(i)
            {
                volatile long b[64];
                for (int k = 0; k < 64; k++)
                    b[k] = k * i;
#pragma omp task firstprivate(i)
                seen[i] = deep(i % 4);
#pragma omp taskwait
                seen[i] += b[3] + deep(2);
            }
        }
        deep(3);
#pragma omp taskwait
        deep(5);
    }
    shmem_finalize();
    return 0;
}
