/* thrille: n=4 */
/* shmem_ctx_quiet completes the put on the team's context before the synchronisation. */
#include <shmem.h>
#include <stddef.h>

static long x;
static long one = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    shmem_team_t odd;
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 2, 2, NULL, 0, &odd);
    if (odd != SHMEM_TEAM_INVALID)
        shmem_team_create_ctx(odd, 0, &ctx);
    if (me == 1) {
        shmem_ctx_long_put(ctx, &x, &one, 1, 1);
        shmem_ctx_quiet(ctx);
    }
    shmem_sync_all();
    if (me == 3)
        seen = x;
    if (odd != SHMEM_TEAM_INVALID)
        shmem_ctx_destroy(ctx);
    (void)seen;
    shmem_finalize();
    return 0;
}
