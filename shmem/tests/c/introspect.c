/* What the detector asks. */
#include <shmem.h>
#include <thrille_shmem.h>
#include "check.h"

static int variable = 3;
static long untouched[1 << 24];

int main(void) {
    void *base;
    size_t len;
    if (thrille_shmem_range(0, 0, &base, &len)) return 1;
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    CHECK(!thrille_shmem_range(0, n, &base, &len) && !thrille_shmem_range(0, -1, &base, &len) && !thrille_shmem_range(2, 0, &base, &len));
    char *heap = shmem_malloc(100);
    for (int pe = 0; pe < n; pe++) {
        CHECK(thrille_shmem_range(THRILLE_SHMEM_HEAP, pe, &base, &len) && len == 8 << 20);
        char *there = shmem_ptr(heap, pe);
        CHECK(there >= (char *)base && there < (char *)base + len);
        CHECK(thrille_shmem_range(THRILLE_SHMEM_STATICS, pe, &base, &len));
        there = shmem_ptr(&variable, pe);
        CHECK(there >= (char *)base && there < (char *)base + len && (pe != me || there == (char *)&variable));
        CHECK(len >= sizeof untouched);
    }
    untouched[me] = 1;
    shmem_barrier_all();
    CHECK(shmem_long_g(&untouched[(me + 1) % n], (me + 1) % n) == 1);
    shmem_finalize();
    return 0;
}
