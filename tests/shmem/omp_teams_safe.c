/* thrille: n=2 */
/* The initial threads of two teams do different things in a teams region; it begins after what is before it and ends before what follows. */
#include <omp.h>
#include <shmem.h>

static long before, both, after[2];

int main(void)
{
    shmem_init();
    before = 1;
#pragma omp teams num_teams(2) thread_limit(2)
    {
        if (omp_get_team_num() == 1)
            both = before;
#pragma omp distribute
        for (int i = 0; i < 2; i++)
            after[i] = before;
    }
    before = after[0] + after[1] + both;
    shmem_finalize();
    return 0;
}
