/* thrille: n=2 */
/* The initialiser of a reduction counts how often it is called, in a variable that all threads have in common. */
#include <omp.h>
#include <shmem.h>

static volatile long begun;

static void begin(long *own)
{
    begun = begun + 1; /* race: a a */
    *own = 1000;
}
#pragma omp declare reduction(least : long : omp_out = omp_in < omp_out ? omp_in : omp_out) initializer(begin(&omp_priv))

static long least = 1000;

int main(void)
{
    shmem_init();
#pragma omp parallel for num_threads(4) reduction(least : least)
    for (int i = 0; i < 8; i++)
        least = i < least ? i : least;
    shmem_finalize();
    return 0;
}
