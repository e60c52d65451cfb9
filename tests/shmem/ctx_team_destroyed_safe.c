/* thrille: n=4 */
/* Destroying a team destroys its shareable contexts, which completes the put. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    volatile long seen = 0;
    shmem_team_t row, column;
    shmem_team_config_t config = {.num_contexts = 1};
    shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, &config, SHMEM_TEAM_NUM_CONTEXTS, &row, NULL, 0, &column);
    shmem_ctx_t ctx;
    shmem_team_create_ctx(row, 0, &ctx);
    shmem_ctx_long_p(ctx, &x, 3, 1 - shmem_team_my_pe(row));
    shmem_team_destroy(row);
    shmem_sync_all();
    seen = x;
    (void)seen;
    shmem_team_destroy(column);
    shmem_finalize();
    return 0;
}
