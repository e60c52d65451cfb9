/* Every RMA call of every type, with and without context, on static data and on the heap. */
#include <shmem.h>
#include <string.h>
#include "check.h"

static uint64_t flag;
static shmem_ctx_t ctx;
static int me, n, next, prev;

static void sync_reset(void) {
    shmem_barrier_all();
    flag = 0;
    shmem_barrier_all();
}

#define TYPE(P, N, T)                                                                                  \
    static T N##_static[40];                                                                           \
    static void test_##N(T *dest) {                                                                    \
        T from[40], to[40];                                                                            \
        for (int i = 0; i < 40; i++) from[i] = (T)(me * 3 + i);                                        \
        memset(dest, 0, 40 * sizeof(T));                                                               \
        sync_reset();                                                                                  \
        shmem_##N##_put(dest, from, 5, next);                                                          \
        shmem_ctx_##N##_put(ctx, dest + 5, from + 5, 5, next);                                         \
        shmem_##N##_put_nbi(dest + 10, from + 10, 5, next);                                            \
        shmem_ctx_##N##_put_nbi(ctx, dest + 15, from + 15, 5, next);                                   \
        shmem_##N##_p(dest + 20, from[20], next);                                                      \
        shmem_ctx_##N##_p(ctx, dest + 21, from[21], next);                                             \
        shmem_##N##_iput(dest + 22, from + 22, 2, 2, 3, next);                                         \
        shmem_ctx_##N##_iput(ctx, dest + 23, from + 23, 2, 2, 3, next);                                \
        shmem_##N##_put_signal(dest + 28, from + 28, 3, &flag, 1, SHMEM_SIGNAL_ADD, next);             \
        shmem_ctx_##N##_put_signal(ctx, dest + 31, from + 31, 3, &flag, 1, SHMEM_SIGNAL_ADD, next);    \
        shmem_##N##_put_signal_nbi(dest + 34, from + 34, 3, &flag, 1, SHMEM_SIGNAL_ADD, next);         \
        shmem_ctx_##N##_put_signal_nbi(ctx, dest + 37, from + 37, 3, &flag, 1, SHMEM_SIGNAL_ADD, next); \
        CHECK(shmem_signal_wait_until(&flag, SHMEM_CMP_GE, 4) == 4);                                   \
        shmem_ctx_quiet(ctx);                                                                          \
        shmem_barrier_all();                                                                           \
        for (int i = 0; i < 40; i++) CHECK(dest[i] == (T)(prev * 3 + i));                              \
        /* dest of the next PE holds my values. */                                                     \
        shmem_##N##_get(to, dest, 5, next);                                                            \
        shmem_ctx_##N##_get(ctx, to + 5, dest + 5, 5, next);                                           \
        shmem_##N##_get_nbi(to + 10, dest + 10, 5, next);                                              \
        shmem_ctx_##N##_get_nbi(ctx, to + 15, dest + 15, 5, next);                                     \
        to[20] = shmem_##N##_g(dest + 20, next);                                                       \
        to[21] = shmem_ctx_##N##_g(ctx, dest + 21, next);                                              \
        shmem_##N##_iget(to + 22, dest + 22, 2, 2, 3, next);                                           \
        shmem_ctx_##N##_iget(ctx, to + 23, dest + 23, 2, 2, 3, next);                                  \
        shmem_quiet();                                                                                 \
        shmem_ctx_quiet(ctx);                                                                          \
        for (int i = 0; i < 28; i++) CHECK(to[i] == (T)(me * 3 + i));                                  \
        shmem_barrier_all();                                                                           \
    }
SHMEMI_RMA_TYPES(TYPE, )

#define SIZED(B)                                                                                       \
    {                                                                                                  \
        unsigned char from[40 * B / 8], to[40 * B / 8], *dest = heap;                                  \
        for (unsigned i = 0; i < sizeof from; i++) from[i] = (unsigned char)(me * 7 + i);              \
        memset(dest, 0, sizeof from);                                                                  \
        memset(to, 0, sizeof to);                                                                      \
        sync_reset();                                                                                  \
        unsigned w = B / 8;                                                                            \
        shmem_put##B(dest, from, 4, next);                                                             \
        shmem_ctx_put##B(ctx, dest + 4 * w, from + 4 * w, 4, next);                                    \
        shmem_put##B##_nbi(dest + 8 * w, from + 8 * w, 4, next);                                       \
        shmem_ctx_put##B##_nbi(ctx, dest + 12 * w, from + 12 * w, 4, next);                            \
        shmem_iput##B(dest + 16 * w, from + 16 * w, 2, 2, 4, next);                                    \
        shmem_ctx_iput##B(ctx, dest + 17 * w, from + 17 * w, 2, 2, 4, next);                           \
        shmem_put##B##_signal(dest + 24 * w, from + 24 * w, 4, &flag, 5, SHMEM_SIGNAL_SET, next);      \
        shmem_ctx_put##B##_signal(ctx, dest + 28 * w, from + 28 * w, 4, &flag, 6, SHMEM_SIGNAL_SET, next); \
        shmem_put##B##_signal_nbi(dest + 32 * w, from + 32 * w, 4, &flag, 7, SHMEM_SIGNAL_SET, next);  \
        shmem_ctx_put##B##_signal_nbi(ctx, dest + 36 * w, from + 36 * w, 4, &flag, 8, SHMEM_SIGNAL_SET, next); \
        shmem_barrier_all();                                                                           \
        CHECK(shmem_signal_fetch(&flag) == 8);                                                         \
        for (unsigned i = 0; i < sizeof from; i++) CHECK(dest[i] == (unsigned char)(prev * 7 + i));    \
        shmem_get##B(to, dest, 4, next);                                                               \
        shmem_ctx_get##B(ctx, to + 4 * w, dest + 4 * w, 4, next);                                      \
        shmem_get##B##_nbi(to + 8 * w, dest + 8 * w, 4, next);                                         \
        shmem_ctx_get##B##_nbi(ctx, to + 12 * w, dest + 12 * w, 4, next);                              \
        shmem_iget##B(to + 16 * w, dest + 16 * w, 2, 2, 4, next);                                      \
        shmem_ctx_iget##B(ctx, to + 17 * w, dest + 17 * w, 2, 2, 4, next);                             \
        shmem_quiet();                                                                                 \
        CHECK(!memcmp(to, from, 24 * w));                                                              \
        shmem_barrier_all();                                                                           \
    }

int main(void) {
    shmem_init();
    me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n, prev = (me + n - 1) % n;
    CHECK(shmem_ctx_create(0, &ctx) == 0);
    void *heap = shmem_malloc(40 * 16);
#define CALL(P, N, T)     \
    test_##N(N##_static); \
    test_##N(heap);
    SHMEMI_RMA_TYPES(CALL, )
    SIZED(8) SIZED(16) SIZED(32) SIZED(64) SIZED(128)

    /* Strides that differ, and nothing at all. */
    int from[8] = {0, 1, 2, 3, 4, 5, 6, 7}, *dest = heap;
    memset(dest, 0, 160);
    shmem_barrier_all();
    shmem_int_iput(dest, from, 5, 3, 3, next);
    shmem_int_put(NULL, from, 0, next);
    shmem_int_iput(NULL, from, 1, 1, 0, next);
    shmem_barrier_all();
    for (int i = 0; i < 40; i++) CHECK(dest[i] == (i == 5 ? 3 : i == 10 ? 6 : 0));
    int got[30] = {0};
    shmem_int_iget(got, dest, 7, 5, 3, next);
    CHECK(got[0] == 0 && got[7] == 3 && got[14] == 6);
    shmem_barrier_all();

    shmem_putmem_signal(heap, from, sizeof from, &flag, 77, SHMEM_SIGNAL_SET, next);
    shmem_signal_wait_until(&flag, SHMEM_CMP_EQ, 77);
    CHECK(!memcmp(heap, from, sizeof from));
    shmem_ctx_destroy(ctx);
    shmem_finalize();
    return 0;
}
