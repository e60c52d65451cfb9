/* Waiting for and testing several variables. */
#include <shmem.h>
#include "check.h"

static int me, n;

#define WAIT(P, N, T)                                                                                          \
    {                                                                                                          \
        static T flags[8];                                                                                     \
        T want[8];                                                                                             \
        int status[8] = {0}, seen[8] = {0}, masked[8] = {1, 1, 1, 1, 1, 1, 1, 1};                              \
        size_t indices[8];                                                                                     \
        shmem_barrier_all();                                                                                   \
        CHECK(shmem_##N##_test_any(flags, n, NULL, SHMEM_CMP_NE, 0) == SIZE_MAX);                              \
        CHECK(shmem_##N##_test_some(flags, n, indices, NULL, SHMEM_CMP_NE, 0) == 0);                           \
        CHECK(!shmem_##N##_test_all(flags, n, NULL, SHMEM_CMP_NE, 0));                                         \
        CHECK(!shmem_##N##_test(flags, SHMEM_CMP_NE, 0));                                                      \
        CHECK(shmem_##N##_test_any(flags, 0, NULL, SHMEM_CMP_EQ, 0) == SIZE_MAX);                              \
        CHECK(shmem_##N##_wait_until_any(flags, 0, NULL, SHMEM_CMP_EQ, 0) == SIZE_MAX);                        \
        CHECK(shmem_##N##_wait_until_any(flags, n, masked, SHMEM_CMP_EQ, 1) == SIZE_MAX);                      \
        CHECK(shmem_##N##_wait_until_some(flags, n, indices, masked, SHMEM_CMP_EQ, 1) == 0);                   \
        CHECK(shmem_##N##_test_all(flags, n, masked, SHMEM_CMP_EQ, 1) == 1);                                   \
        shmem_##N##_wait_until_all(flags, n, masked, SHMEM_CMP_EQ, 1);                                         \
        shmem_barrier_all();                                                                                   \
        for (int p = 0; p < n; p++) shmem_##N##_p(&flags[me], (T)(me + 1), (me + p) % n);                      \
        for (int k = 0; k < n; k++) {                                                                          \
            size_t i = shmem_##N##_wait_until_any(flags, n, status, SHMEM_CMP_NE, 0);                          \
            CHECK(i < (size_t)n && !status[i] && flags[i] == (T)(i + 1));                                      \
            status[i] = 1;                                                                                     \
        }                                                                                                      \
        shmem_barrier_all();                                                                                   \
        for (int i = 0; i < n; i++) want[i] = (T)(i + 1);                                                      \
        shmem_##N##_wait_until_all(flags, n, NULL, SHMEM_CMP_GE, 1);                                           \
        shmem_##N##_wait_until_all_vector(flags, n, NULL, SHMEM_CMP_EQ, want);                                 \
        CHECK(shmem_##N##_test_all_vector(flags, n, NULL, SHMEM_CMP_EQ, want));                                \
        CHECK(shmem_##N##_wait_until_some(flags, n, indices, NULL, SHMEM_CMP_LE, 8) == (size_t)n);             \
        CHECK(shmem_##N##_wait_until_some_vector(flags, n, indices, NULL, SHMEM_CMP_EQ, want) == (size_t)n);   \
        CHECK(shmem_##N##_test_some_vector(flags, n, indices, NULL, SHMEM_CMP_EQ, want) == (size_t)n);         \
        CHECK(shmem_##N##_test_some(flags, n, indices, NULL, SHMEM_CMP_LT, 2) == 1 && indices[0] == 0);        \
        /* Nobody is passed over for ever. */                                                                  \
        for (int k = 0; k < 8 * n; k++) seen[shmem_##N##_wait_until_any_vector(flags, n, NULL, SHMEM_CMP_EQ, want)] = 1; \
        for (int k = 0; k < 8 * n; k++) CHECK(shmem_##N##_test_any_vector(flags, n, NULL, SHMEM_CMP_EQ, want) < (size_t)n); \
        for (int i = 0; i < n; i++) CHECK(seen[i]);                                                            \
        CHECK(shmem_##N##_test(&flags[n - 1], SHMEM_CMP_GT, (T)(n - 1)));                                      \
        shmem_##N##_wait_until(&flags[0], SHMEM_CMP_LT, 2);                                                    \
        shmem_barrier_all();                                                                                   \
    }

int main(void) {
    shmem_init();
    me = shmem_my_pe(), n = shmem_n_pes();
    SHMEMI_P2P_TYPES(WAIT, )
    static long old;
    static int iold;
    static short sold;
    static long long llold;
    int next = (me + 1) % n;
    shmem_barrier_all();
    shmem_long_p(&old, 1, next);
    shmem_wait(&old, 0);
    shmem_long_wait(&old, 0);
    shmem_wait_until(&old, SHMEM_CMP_EQ, 1L);
    shmem_int_p(&iold, 1, next);
    shmem_int_wait(&iold, 0);
    shmem_short_p(&sold, 1, next);
    shmem_short_wait(&sold, 0);
    shmem_longlong_p(&llold, 1, next);
    shmem_longlong_wait(&llold, 0);
    shmem_finalize();
    return 0;
}
