/* Random updates of a distributed table, with start_pes and active sets as programs of the 1.0 time do. */
#include <mpp/shmem.h>
#include "check.h"

#define WORDS 1024
static long psync[_SHMEM_REDUCE_SYNC_SIZE], done, total;
static long work[_SHMEM_REDUCE_MIN_WRKDATA_SIZE];

int main(void) {
    start_pes(0);
    int me = _my_pe(), n = _num_pes();
    for (int i = 0; i < _SHMEM_REDUCE_SYNC_SIZE; i++) psync[i] = _SHMEM_SYNC_VALUE;
    long *table = shmalloc(WORDS * sizeof *table);
    for (int i = 0; i < WORDS; i++) table[i] = 0;
    shmem_barrier_all();
    unsigned long random = 88172645463325252ul + me;
    for (int i = 0; i < 5000; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        shmem_long_inc(&table[random % WORDS], random / WORDS % n);
    }
    shmem_barrier_all();
    for (int i = 0; i < WORDS; i++) done += table[i];
    shmem_long_sum_to_all(&total, &done, 1, 0, 0, n, work, psync);
    CHECK(total == 5000 * n);
    return 0;
}
