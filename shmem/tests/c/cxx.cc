// The header in C++: overloads, typed functions, complex numbers.
#include <shmem.h>
#include <shmemx.h>
#include <mpp/shmem.h>
#include <complex>
#include <vector>
#include "check.h"

static std::vector<int> constructed = {1, 2, 3};
static std::complex<double> z, zsum;
static int x;
static double d[4];
static long word;
static uint64_t sig;

int main() {
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n, prev = (me + n - 1) % n;
    CHECK(constructed.size() == 3 && constructed[2] == 3);
    constructed.push_back(me);
    shmem_ctx_t ctx;
    CHECK(!shmem_ctx_create(0, &ctx));
    const double from[2] = {me + 0.5, me + 1.5};
    shmem_put(d, from, 2, next);
    shmem_put(ctx, d + 2, from, 2, next);
    shmem_p(&x, me, next);
    shmem_barrier_all();
    CHECK(x == prev && d[1] == prev + 1.5 && d[3] == prev + 1.5 && shmem_g(&x, next) == me);
    shmem_atomic_add(&word, 1L, 0);
    shmem_atomic_inc(&word, 0);
    shmem_barrier_all();
    CHECK(shmem_atomic_fetch(&word, 0) == 2 * n);
    static unsigned bits;
    shmem_atomic_or(&bits, 5u, me);
    CHECK(shmem_atomic_fetch_and(&bits, 4u, me) == 5 && bits == 4);
    z = std::complex<double>(1, me);
    CHECK(!shmem_complexd_sum_reduce(SHMEM_TEAM_WORLD, &zsum, &z, 1) && zsum.real() == n);
    shmem_put_signal(d, from, 1, &sig, 1, SHMEM_SIGNAL_SET, next);
    shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, 1);
    static long flag;
    static int iflag;
    shmem_p(&flag, 1L, next);
    shmem_p(&iflag, 1, next);
    shmem_wait_until(&flag, SHMEM_CMP_EQ, 1L);
    shmem_wait_until(&iflag, SHMEM_CMP_EQ, 1);
    shmem_sync(SHMEM_TEAM_WORLD);
    shmem_ctx_destroy(ctx);
    shmem_finalize();
    return 0;
}
