/* A program that wraps functions of the library, as a tool would. */
#include <shmem.h>
#include "check.h"

static int barriers, syncs, stores, quiets;
void shmem_barrier_all(void) { barriers++, pshmem_barrier_all(); }
void shmem_sync_all(void) { syncs++, pshmem_sync_all(); }
int shmem_team_sync(shmem_team_t team) { return syncs++, pshmem_team_sync(team); }
void shmem_quiet(void) { quiets++, pshmem_quiet(); }
void shmem_long_p(long *dest, long value, int pe) { stores++, pshmem_long_p(dest, value, pe); }
void shmem_putmem(void *dest, const void *source, size_t n, int pe) { stores++, pshmem_putmem(dest, source, n, pe); }

static long x, sum;

int main(void) {
    shmem_init();
    long *p = shmem_malloc(64);
    shmem_long_put(p, &x, 1, 0);
    CHECK(!shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &x, 1));
    shmem_free(p);
    CHECK(!barriers && !syncs && !stores && !quiets);
    shmem_long_p(&x, 1, 0);
    shmem_barrier_all();
    CHECK(stores == 1 && barriers == 1 && !quiets && !syncs);
    shmem_finalize();
    CHECK(barriers == 1);
    return 0;
}
