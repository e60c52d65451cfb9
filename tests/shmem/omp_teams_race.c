/* thrille: n=2 */
/* The initial threads of two teams run what is in a teams region beside each other; it begins after what is before it and ends before what follows. */
#include <omp.h>
#include <shmem.h>

static long before, both, after[2];

int main(void)
{
    shmem_init();
    before = 1;
#pragma omp teams num_teams(2) thread_limit(2)
    {
        both = before; /* race: a a */
#pragma omp distribute
        for (int i = 0; i < 2; i++)
            after[i] = before;
    }
    before = after[0] + after[1] + both;
    shmem_finalize();
    return 0;
}
