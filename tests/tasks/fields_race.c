/* thrille: n=1,2 */
/* A task fills both members of many structures, another one reads the second ones: the first line has no part in it. */
#include <shmem.h>
#include <stdlib.h>
typedef struct {
    long key, value;
} Pair;
static volatile long sink;
static void fill(Pair *p, long n)
{
    for (long i = 0; i < n; i++) {
        p[i].key = i;
        p[i].value = n - i; /* race: a */
    }
}
static long sum(const Pair *p, long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++)
        sum += p[i].value; /* race: a */
    return sum;
}
int main(void)
{
    shmem_init();
    Pair *p = calloc(3000, sizeof(Pair));
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        fill(p, 2000);
#pragma omp task
        sink = sum(p + 1999, 1000);
    }
    free(p);
    shmem_finalize();
    return 0;
}
