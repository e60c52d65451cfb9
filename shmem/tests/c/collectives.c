/* Every collective of every type, over teams and over active sets. */
#include <shmem.h>
#include <string.h>
#include "check.h"

#define N 37
static int me, n;
static long psync[3][SHMEM_SYNC_SIZE];

#define MOVE(P, N_, T)                                                                                     \
    {                                                                                                      \
        static T in[8 * N], out[8 * N * 2];                                                                \
        for (int i = 0; i < 8 * N; i++) in[i] = (T)(me * 5 + i);                                           \
        shmem_barrier_all();                                                                               \
        for (int root = 0; root < n; root++) {                                                             \
            CHECK(!shmem_##N_##_broadcast(SHMEM_TEAM_WORLD, out, in, N, root));                            \
            for (int i = 0; i < N; i++) CHECK(out[i] == (T)(root * 5 + i));                                \
        }                                                                                                  \
        CHECK(!shmem_##N_##_collect(SHMEM_TEAM_WORLD, out, in, me + 1));                                   \
        for (int p = 0, at = 0; p < n; p++)                                                                \
            for (int i = 0; i <= p; i++) CHECK(out[at++] == (T)(p * 5 + i));                               \
        CHECK(!shmem_##N_##_fcollect(SHMEM_TEAM_WORLD, out, in, N));                                       \
        for (int p = 0; p < n; p++)                                                                        \
            for (int i = 0; i < N; i++) CHECK(out[p * N + i] == (T)(p * 5 + i));                           \
        CHECK(!shmem_##N_##_alltoall(SHMEM_TEAM_WORLD, out, in, N));                                       \
        for (int p = 0; p < n; p++)                                                                        \
            for (int i = 0; i < N; i++) CHECK(out[p * N + i] == (T)(p * 5 + me * N + i));                  \
        memset(out, 0, sizeof out);                                                                        \
        shmem_barrier_all();                                                                               \
        CHECK(!shmem_##N_##_alltoalls(SHMEM_TEAM_WORLD, out, in, 2, 3, 4));                                \
        for (int p = 0; p < n; p++)                                                                        \
            for (int i = 0; i < 4; i++) {                                                                  \
                CHECK(out[(p * 4 + i) * 2] == (T)(p * 5 + (me * 4 + i) * 3));                              \
                CHECK(out[(p * 4 + i) * 2 + 1] == 0);                                                      \
            }                                                                                              \
        shmem_barrier_all();                                                                               \
    }

#define EXPECT(T, START, STEP)      \
    T expect = (T)(START);          \
    for (int p = 0; p < n; p++) {   \
        T v = (T)((p + i) % 5 + 1); \
        STEP;                       \
    }

/* In and out of place, odd lengths. */
#define REDUCE(N_, T, OP, START, STEP)                                                \
    for (int place = 0; place < 2; place++) {                                         \
        static T in[N * 20], out[N * 20];                                             \
        for (int i = 0; i < N * 20; i++) in[i] = (T)((me + i) % 5 + 1);               \
        shmem_barrier_all();                                                          \
        T *to = place ? in : out;                                                     \
        CHECK(!shmem_##N_##_##OP##_reduce(SHMEM_TEAM_WORLD, to, in, N * 20));         \
        for (int i = 0; i < N * 20; i++) {                                            \
            EXPECT(T, START, STEP)                                                    \
            CHECK(to[i] == expect);                                                   \
        }                                                                             \
    }
#define SET_REDUCE(N_, T, OP, START, STEP)                                                        \
    {                                                                                             \
        static T in[N], out[N], work[N];                                                          \
        for (int i = 0; i < N; i++) in[i] = (T)((me + i) % 5 + 1);                                \
        shmem_barrier_all();                                                                      \
        for (int round = 0; round < 3; round++)                                                   \
            shmem_##N_##_##OP##_to_all(out, in, N, 0, 0, n, work, psync[round % 2]);              \
        for (int i = 0; i < N; i++) {                                                             \
            EXPECT(T, START, STEP)                                                                \
            CHECK(out[i] == expect);                                                              \
        }                                                                                         \
    }

#define ARITH(P, N_, T) REDUCE(N_, T, sum, 0, expect += v) REDUCE(N_, T, prod, 1, expect *= v)
#define ORDER(P, N_, T) REDUCE(N_, T, max, 0, expect = v > expect ? v : expect) REDUCE(N_, T, min, 100, expect = v < expect ? v : expect)
#define BITWISE(P, N_, T) REDUCE(N_, T, and, ~0ull, expect &= v) REDUCE(N_, T, or, 0, expect |= v) REDUCE(N_, T, xor, 0, expect ^= v)
#define SET_ARITH(P, N_, T) SET_REDUCE(N_, T, sum, 0, expect += v) SET_REDUCE(N_, T, prod, 1, expect *= v)
#define SET_ORDER(P, N_, T) SET_REDUCE(N_, T, max, 0, expect = v > expect ? v : expect) SET_REDUCE(N_, T, min, 100, expect = v < expect ? v : expect)
#define SET_BITWISE(P, N_, T) SET_REDUCE(N_, T, and, ~0ull, expect &= v) SET_REDUCE(N_, T, or, 0, expect |= v) SET_REDUCE(N_, T, xor, 0, expect ^= v)

#define SET_MOVE(B)                                                                                 \
    {                                                                                               \
        static uint##B##_t in[8 * N], out[8 * N * 2];                                               \
        for (int i = 0; i < 8 * N; i++) in[i] = me * 1000 + i;                                      \
        memset(out, 0, sizeof out);                                                                 \
        shmem_barrier_all();                                                                        \
        if (member) {                                                                               \
            shmem_broadcast##B(out, in, N, size - 1, start, log, size, psync[0]);                   \
            int root = start + ((size - 1) << log);                                                 \
            for (int i = 0; i < N; i++) CHECK(out[i] == (me == root ? 0u : root * 1000u + i));      \
            shmem_collect##B(out, in, mine + 1, start, log, size, psync[1]);                        \
            for (int p = 0, at = 0; p < size; p++)                                                  \
                for (int i = 0; i <= p; i++) CHECK(out[at++] == (start + (p << log)) * 1000u + i);  \
            shmem_fcollect##B(out, in, N, start, log, size, psync[2]);                              \
            for (int p = 0; p < size; p++) CHECK(out[p * N] == (start + (p << log)) * 1000u);       \
            shmem_alltoall##B(out, in, 4, start, log, size, psync[0]);                              \
            for (int p = 0; p < size; p++) CHECK(out[p * 4] == (start + (p << log)) * 1000u + mine * 4); \
            shmem_alltoalls##B(out, in, 2, 2, 3, start, log, size, psync[1]);                       \
            for (int p = 0; p < size; p++) CHECK(out[p * 6 + 2] == (start + (p << log)) * 1000u + mine * 6 + 2); \
            shmem_barrier(start, log, size, psync[2]);                                              \
            for (int i = 0; i < 200; i++) shmem_sync(start, log, size, psync[i % 2]);               \
            for (int w = 0; w < 3; w++)                                                             \
                for (int i = 0; i < SHMEM_SYNC_SIZE; i++) CHECK(psync[w][i] == SHMEM_SYNC_VALUE);   \
        }                                                                                           \
        shmem_barrier_all();                                                                        \
    }

int main(void) {
    shmem_init();
    me = shmem_my_pe(), n = shmem_n_pes();
    SHMEMI_RMA_TYPES(MOVE, )
    SHMEMI_RMA_TYPES(ARITH, )
    SHMEMI_COMPLEX_TYPES(ARITH, )
    SHMEMI_RMA_TYPES(ORDER, )
    SHMEMI_REDUCE_BITWISE_TYPES(BITWISE, )
    SHMEMI_SET_ORDER_TYPES(SET_ARITH, )
    SHMEMI_COMPLEX_TYPES(SET_ARITH, )
    SHMEMI_SET_ORDER_TYPES(SET_ORDER, )
    SHMEMI_SET_BITWISE_TYPES(SET_BITWISE, )

    for (int log = 0; log < 3; log++)
        for (int start = 0; start < n && start < 2; start++) {
            int size = (n - 1 - start) / (1 << log) + 1, mine = (me - start) >> log;
            int member = me >= start && (me - start) % (1 << log) == 0;
            SET_MOVE(32)
            SET_MOVE(64)
        }

    static char in[100], out[800];
    memset(in, me, sizeof in);
    CHECK(!shmem_broadcastmem(SHMEM_TEAM_WORLD, out, in, 100, n - 1) && out[99] == n - 1);
    CHECK(!shmem_collectmem(SHMEM_TEAM_WORLD, out, in, me == 0 ? 0 : 7) && (n == 1 || out[0] == 1));
    CHECK(!shmem_fcollectmem(SHMEM_TEAM_WORLD, out, in, 100) && out[100 * n - 1] == n - 1);
    CHECK(!shmem_alltoallmem(SHMEM_TEAM_WORLD, out, in, 9) && out[9 * n - 1] == n - 1);
    CHECK(!shmem_alltoallsmem(SHMEM_TEAM_WORLD, out, in, 2, 1, 5) && out[10 * n - 2] == n - 1);
    for (int i = 0; i < 500; i++) shmem_sync_all();
    shmem_finalize();
    return 0;
}
