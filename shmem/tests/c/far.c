/* Variables in two writable segments with a gap between them. */
#include <shmem.h>
#include <thrille_shmem.h>
#include "check.h"

static long near_ = 1;
long far_ __attribute__((section(".far"))) = 2;

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n, prev = (me + n - 1) % n;
    CHECK(near_ == 1 && far_ == 2);
    shmem_barrier_all();
    shmem_long_p(&near_, 100 + me, next);
    shmem_long_p(&far_, 200 + me, next);
    shmem_barrier_all();
    CHECK(near_ == 100 + prev && far_ == 200 + prev);
    char *middle = (char *)&near_ + ((char *)&far_ - (char *)&near_) / 2;
    CHECK((char *)&far_ - (char *)&near_ > 1 << 20 && !shmem_addr_accessible(middle, next));
    void *base;
    size_t len;
    CHECK(thrille_shmem_range(THRILLE_SHMEM_STATICS, me, &base, &len));
    CHECK((char *)&near_ >= (char *)base && (char *)&far_ < (char *)base + len);
    shmem_finalize();
    return 0;
}
