/* A small program for many PEs. */
#include <shmem.h>
#include "check.h"

static long one = 1, sum, turn;

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    long *heap = shmem_calloc(n, sizeof *heap);
    shmem_long_p(&heap[me], me + 1, (me + 1) % n);
    for (int i = 0; i < 5; i++) shmem_barrier_all();
    CHECK(heap[(me + n - 1) % n] == (me + n - 1) % n + 1);
    CHECK(!shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &one, 1) && sum == n);
    if (me > 0) shmem_long_wait_until(&turn, SHMEM_CMP_EQ, me);
    if (me + 1 < n) shmem_long_p(&turn, me + 1, me + 1);
    shmem_free(heap);
    shmem_finalize();
    return 0;
}
