/* C11 generic selection: every generic name, plain and with a context. */
#include <shmem.h>
#include "check.h"

static int me, n, next, prev;
static uint64_t sig;
static long words[64];
static volatile int vflag;

#define RMA(P, N, T)                                        \
    {                                                       \
        static T d[16];                                     \
        T s[16];                                            \
        for (int i = 0; i < 16; i++) s[i] = (T)(me + i);    \
        shmem_barrier_all();                                \
        shmem_put(d, s, 1, next);                           \
        shmem_put(c, d + 1, s + 1, 1, next);                \
        shmem_put_nbi(d + 2, s + 2, 1, next);               \
        shmem_put_nbi(c, d + 3, s + 3, 1, next);            \
        shmem_p(d + 4, s[4], next);                         \
        shmem_p(c, d + 5, s[5], next);                      \
        shmem_iput(d + 6, s + 6, 1, 1, 1, next);            \
        shmem_iput(c, d + 7, s + 7, 1, 1, 1, next);         \
        shmem_put_signal(d + 8, s + 8, 1, &sig, 1, SHMEM_SIGNAL_SET, next);        \
        shmem_put_signal(c, d + 9, s + 9, 1, &sig, 1, SHMEM_SIGNAL_SET, next);     \
        shmem_put_signal_nbi(d + 10, s + 10, 1, &sig, 1, SHMEM_SIGNAL_SET, next);  \
        shmem_put_signal_nbi(c, d + 11, s + 11, 1, &sig, 1, SHMEM_SIGNAL_SET, next); \
        shmem_barrier_all();                                \
        for (int i = 0; i < 12; i++) CHECK(d[i] == (T)(prev + i)); \
        T r[8];                                             \
        const T *cd = d;                                    \
        shmem_get(r, d, 1, next);                           \
        shmem_get(c, r + 1, d + 1, 1, next);                \
        shmem_get_nbi(r + 2, d + 2, 1, next);               \
        shmem_get_nbi(c, r + 3, d + 3, 1, next);            \
        r[4] = shmem_g(d + 4, next);                        \
        r[5] = shmem_g(c, cd + 5, next);                    \
        shmem_iget(r + 6, d + 6, 1, 1, 1, next);            \
        shmem_iget(c, r + 7, d + 7, 1, 1, 1, next);         \
        for (int i = 0; i < 8; i++) CHECK(r[i] == (T)(me + i)); \
        static T in[4], out[64];                            \
        in[0] = in[1] = 1;                                  \
        shmem_barrier_all();                                \
        CHECK(!shmem_broadcast(SHMEM_TEAM_WORLD, out, in, 1, 0) && out[0] == 1);  \
        CHECK(!shmem_collect(SHMEM_TEAM_WORLD, out, in, 1) && out[n - 1] == 1);   \
        CHECK(!shmem_fcollect(SHMEM_TEAM_WORLD, out, in, 1));                     \
        CHECK(!shmem_sum_reduce(SHMEM_TEAM_WORLD, out, in, 1) && out[0] == (T)n); \
        CHECK(!shmem_prod_reduce(SHMEM_TEAM_WORLD, out, in, 1) && out[0] == 1);   \
        CHECK(!shmem_max_reduce(SHMEM_TEAM_WORLD, out, in, 1) && out[0] == 1);    \
        CHECK(!shmem_min_reduce(SHMEM_TEAM_WORLD, out, in, 1) && out[0] == 1);    \
        static T wide[64], recv[64];                        \
        for (int i = 0; i < 64; i++) wide[i] = (T)(me + i); \
        shmem_barrier_all();                                \
        CHECK(!shmem_alltoall(SHMEM_TEAM_WORLD, recv, wide, 1) && recv[prev] == (T)(prev + me)); \
        CHECK(!shmem_alltoalls(SHMEM_TEAM_WORLD, recv, wide, 2, 1, 1) && recv[2 * prev] == (T)(prev + me)); \
        shmem_barrier_all();                                \
    }

#define AMO(P, N, T)                                                          \
    {                                                                         \
        static T x;                                                           \
        T f = 0;                                                              \
        x = 0;                                                                \
        shmem_barrier_all();                                                  \
        shmem_atomic_set(&x, (T)5, next);                                     \
        shmem_atomic_set(c, &x, (T)6, next);                                  \
        CHECK(shmem_atomic_fetch(&x, next) == 6);                             \
        CHECK(shmem_atomic_fetch(c, (const T *)&x, next) == 6);               \
        CHECK(shmem_atomic_swap(&x, (T)7, next) == 6);                        \
        CHECK(shmem_atomic_compare_swap(&x, (T)7, (T)8, next) == 7);          \
        CHECK(shmem_atomic_fetch_inc(&x, next) == 8);                         \
        CHECK(shmem_atomic_fetch_add(c, &x, (T)2, next) == 9);                \
        shmem_atomic_inc(&x, next);                                           \
        shmem_atomic_add(&x, (T)3, next);                                     \
        shmem_atomic_fetch_nbi(&f, &x, next);                                 \
        shmem_quiet();                                                        \
        CHECK(f == 15);                                                       \
        shmem_atomic_swap_nbi(&f, &x, (T)1, next);                            \
        shmem_atomic_compare_swap_nbi(&f, &x, (T)1, (T)2, next);              \
        shmem_atomic_fetch_inc_nbi(c, &f, &x, next);                          \
        shmem_atomic_fetch_add_nbi(&f, &x, (T)1, next);                       \
        shmem_quiet();                                                        \
        CHECK(f == 3);                                                        \
        shmem_barrier_all();                                                  \
        CHECK(x == 4 && shmem_test(&x, SHMEM_CMP_GT, (T)3));                  \
        shmem_wait_until(&x, SHMEM_CMP_EQ, (T)4);                             \
        size_t ix[1];                                                         \
        T four = 4;                                                           \
        shmem_wait_until_all(&x, 1, NULL, SHMEM_CMP_EQ, (T)4);                \
        CHECK(shmem_wait_until_any(&x, 1, NULL, SHMEM_CMP_EQ, (T)4) == 0);    \
        CHECK(shmem_wait_until_some(&x, 1, ix, NULL, SHMEM_CMP_EQ, (T)4) == 1); \
        shmem_wait_until_all_vector(&x, 1, NULL, SHMEM_CMP_EQ, &four);        \
        CHECK(shmem_wait_until_any_vector(&x, 1, NULL, SHMEM_CMP_EQ, &four) == 0); \
        CHECK(shmem_wait_until_some_vector(&x, 1, ix, NULL, SHMEM_CMP_EQ, &four) == 1); \
        CHECK(shmem_test_all(&x, 1, NULL, SHMEM_CMP_EQ, (T)4) == 1);          \
        CHECK(shmem_test_any(&x, 1, NULL, SHMEM_CMP_EQ, (T)4) == 0);          \
        CHECK(shmem_test_some(&x, 1, ix, NULL, SHMEM_CMP_EQ, (T)4) == 1);     \
        CHECK(shmem_test_all_vector(&x, 1, NULL, SHMEM_CMP_EQ, &four) == 1);  \
        CHECK(shmem_test_any_vector(&x, 1, NULL, SHMEM_CMP_EQ, &four) == 0);  \
        CHECK(shmem_test_some_vector(&x, 1, ix, NULL, SHMEM_CMP_EQ, &four) == 1); \
        shmem_barrier_all();                                                  \
    }

#define BITS(P, N, T)                                             \
    {                                                             \
        static T x;                                               \
        T f;                                                      \
        x = 12;                                                   \
        shmem_barrier_all();                                      \
        CHECK(shmem_atomic_fetch_and(&x, (T)6, next) == 12);      \
        CHECK(shmem_atomic_fetch_or(c, &x, (T)1, next) == 4);     \
        CHECK(shmem_atomic_fetch_xor(&x, (T)7, next) == 5);       \
        shmem_atomic_or(&x, (T)5, next);                          \
        shmem_atomic_and(&x, (T)3, next);                         \
        shmem_atomic_xor(c, &x, (T)8, next);                      \
        shmem_atomic_fetch_and_nbi(&f, &x, (T)15, next);          \
        shmem_atomic_fetch_or_nbi(&f, &x, (T)0, next);            \
        shmem_atomic_fetch_xor_nbi(&f, &x, (T)0, next);           \
        shmem_quiet();                                            \
        CHECK(f == 11);                                           \
        shmem_barrier_all();                                      \
        static T in, out;                                         \
        in = (T)(me == 0 ? 3 : 1);                                \
        CHECK(!shmem_and_reduce(SHMEM_TEAM_WORLD, &out, &in, 1) && out == (T)(n == 1 ? 3 : 1)); \
        CHECK(!shmem_or_reduce(SHMEM_TEAM_WORLD, &out, &in, 1) && out == 3); \
        CHECK(!shmem_xor_reduce(SHMEM_TEAM_WORLD, &out, &in, 1) && out == (T)(n % 2 ? 3 : 2)); \
    }

int main(void) {
    shmem_init();
    me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n, prev = (me + n - 1) % n;
    shmem_ctx_t c;
    CHECK(!shmem_ctx_create(SHMEM_CTX_PRIVATE, &c));
    /* Not by the tables of the header: a macro does not expand within itself. */
    RMA(, float, float) RMA(, double, double) RMA(, longdouble, long double)
    RMA(, char, char) RMA(, schar, signed char) RMA(, short, short) RMA(, int, int) RMA(, long, long) RMA(, longlong, long long)
    RMA(, uchar, unsigned char) RMA(, ushort, unsigned short) RMA(, uint, unsigned) RMA(, ulong, unsigned long)
    RMA(, ulonglong, unsigned long long) RMA(, int8, int8_t) RMA(, uint64, uint64_t) RMA(, size, size_t) RMA(, ptrdiff, ptrdiff_t)
    AMO(, int, int) AMO(, long, long) AMO(, longlong, long long) AMO(, uint, unsigned) AMO(, ulong, unsigned long)
    AMO(, ulonglong, unsigned long long) AMO(, int32, int32_t) AMO(, size, size_t)
    BITS(, uint, unsigned) BITS(, ulong, unsigned long) BITS(, ulonglong, unsigned long long) BITS(, int32, int32_t) BITS(, int64, int64_t)

    /* One within another. */
    static int a, b;
    b = 3;
    shmem_barrier_all();
    shmem_p(&a, shmem_g(&b, shmem_g(&b, next) % n), next);
    shmem_atomic_add(&a, shmem_atomic_fetch_add(&b, 0, next), next);
    shmem_barrier_all();
    CHECK(a == 6);

    shmem_barrier_all();
    words[0] = 0;
    shmem_barrier_all();
    shmem_add(words, 2L, next);
    shmem_inc(words, next);
    CHECK(shmem_fadd(words, 1L, next) == 3 && shmem_finc(words, next) == 4 && shmem_cswap(words, 5L, 9L, next) == 5);
    CHECK(shmem_fetch(words, next) == 9 && shmem_swap(words, 1L, next) == 9);
    shmem_set(words, 3L, next);
    shmem_barrier_all();
    CHECK(words[0] == 3);

    shmem_int_p((int *)&vflag, 1, next);
    shmem_wait_until(&vflag, SHMEM_CMP_EQ, 1);

    static double _Complex z, zsum;
    z = 1.0 + me * 1.0i;
    CHECK(!shmem_sum_reduce(SHMEM_TEAM_WORLD, &zsum, &z, 1) && zsum == n + n * (n - 1) / 2 * 1.0i);

    static long psync[SHMEM_SYNC_SIZE];
    shmem_sync(SHMEM_TEAM_WORLD);
    shmem_sync(0, 0, n, psync);
    shmem_ctx_destroy(c);
    shmem_finalize();
    return 0;
}
