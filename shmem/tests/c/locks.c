/* Mutual exclusion, also when there are more PEs than cores; the lock word is clear when nobody holds it. */
#include <shmem.h>
#include "check.h"

static long lock, other;
static long counter, failed;

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    for (int i = 0; i < 300; i++) {
        shmem_set_lock(&lock);
        long seen = shmem_long_g(&counter, n - 1);
        shmem_long_p(&counter, seen + 1, n - 1);
        shmem_quiet();
        shmem_clear_lock(&lock);
    }
    for (int i = 0; i < 100; i++) {
        while (shmem_test_lock(&lock)) failed++;
        long seen = shmem_long_g(&counter, n - 1);
        shmem_long_p(&counter, seen + 1, n - 1);
        shmem_clear_lock(&lock);
    }
    shmem_barrier_all();
    if (me == n - 1) CHECK(counter == 400 * n);
    CHECK(lock == 0);
    shmem_barrier_all();
    if (me == 0) {
        CHECK(shmem_test_lock(&other) == 0 && shmem_test_lock(&other) == 1);
    }
    shmem_barrier_all();
    if (me == n - 1 && n > 1) CHECK(shmem_test_lock(&other) == 1);
    shmem_barrier_all();
    if (me == 0) shmem_clear_lock(&other);
    shmem_clear_cache_inv();
    shmem_finalize();
    return 0;
}
