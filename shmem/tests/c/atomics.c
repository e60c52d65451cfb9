/* Atomics of every type under contention, and the old names. */
#include <shmem.h>
#include "check.h"

#define ROUNDS 2000
static int me, n;

#define AMO(P, N, T)                                                               \
    {                                                                              \
        static T sum, count, max, x;                                               \
        shmem_barrier_all();                                                       \
        for (int i = 0; i < ROUNDS; i++) {                                         \
            shmem_##N##_atomic_add(&sum, 3, 0);                                    \
            shmem_##N##_atomic_inc(&count, n - 1);                                 \
            shmem_##N##_atomic_fetch_add(&sum, (T)-1, 0);                          \
            T mine = shmem_##N##_atomic_fetch_inc(&max, 0), seen;                  \
            CHECK(mine < (T)(ROUNDS * n));                                         \
            do seen = shmem_##N##_atomic_fetch(&x, 0);                             \
            while (shmem_##N##_atomic_compare_swap(&x, seen, seen + 1, 0) != seen); \
        }                                                                          \
        shmem_barrier_all();                                                       \
        if (me == 0) CHECK(sum == (T)(2 * ROUNDS * n) && max == (T)(ROUNDS * n) && x == max); \
        if (me == n - 1) CHECK(count == (T)(ROUNDS * n));                          \
    }

#define EXTENDED(P, N, T)                                                          \
    {                                                                              \
        static T x, slots[8];                                                      \
        x = slots[me] = 0;                                                         \
        shmem_barrier_all();                                                       \
        shmem_##N##_atomic_set(&slots[me], (T)(me + 1), 0);                        \
        T old = shmem_##N##_atomic_swap(&x, (T)(me + 1), 0);                       \
        CHECK(old <= (T)n && old != (T)(me + 1));                             \
        shmem_barrier_all();                                                       \
        if (me == 0)                                                               \
            for (int i = 0; i < n; i++) CHECK(slots[i] == (T)(i + 1));             \
        shmem_barrier_all();                                                       \
    }

#define BITWISE(P, N, T)                                                           \
    {                                                                              \
        static T or_, and_, xor_;                                                  \
        and_ = 255;                                                                \
        shmem_barrier_all();                                                       \
        CHECK((shmem_##N##_atomic_fetch_or(&or_, (T)1 << me, 0) >> me & 1) == 0);  \
        shmem_##N##_atomic_and(&and_, (T)~((T)1 << me), 0);                        \
        shmem_##N##_atomic_xor(&xor_, (T)1 << me, 0);                              \
        shmem_##N##_atomic_or(&xor_, (T)0, 0);                                     \
        shmem_##N##_atomic_fetch_and(&xor_, (T)255, 0);                            \
        shmem_##N##_atomic_fetch_xor(&xor_, (T)0, 0);                              \
        shmem_barrier_all();                                                       \
        T all = (T)((1 << n) - 1);                                                 \
        if (me == 0) CHECK(or_ == all && and_ == (T)(255 - all) && xor_ == all);   \
    }

#define OLD(P, N, T)                                                               \
    {                                                                              \
        static T x;                                                                \
        shmem_barrier_all();                                                       \
        shmem_##N##_add(&x, 2, 0);                                                 \
        shmem_##N##_inc(&x, 0);                                                    \
        shmem_##N##_fadd(&x, 2, 0);                                                \
        shmem_##N##_finc(&x, 0);                                                   \
        shmem_barrier_all();                                                       \
        CHECK(shmem_##N##_fetch(&x, 0) == 6 * n);                                  \
        shmem_barrier_all();                                                       \
        if (me == 0) {                                                             \
            CHECK(shmem_##N##_cswap(&x, 6 * n, 1, 0) == 6 * n);                    \
            CHECK(shmem_##N##_swap(&x, 2, 0) == 1);                                \
            shmem_##N##_set(&x, 3, 0);                                             \
            CHECK(x == 3);                                                         \
        }                                                                          \
    }

int main(void) {
    shmem_init();
    me = shmem_my_pe(), n = shmem_n_pes();
    SHMEMI_AMO_TYPES(AMO, )
    SHMEMI_EXTENDED_TYPES(EXTENDED, )
    SHMEMI_BITWISE_TYPES(BITWISE, )
    SHMEMI_OLD_AMO_TYPES(OLD, )
    static float f;
    static double d;
    shmem_barrier_all();
    shmem_float_set(&f, 1.5f, me);
    CHECK(shmem_float_swap(&f, 2.5f, me) == 1.5f && shmem_float_fetch(&f, me) == 2.5f);
    shmem_double_set(&d, 1.5, me);
    CHECK(shmem_double_swap(&d, 2.5, me) == 1.5 && shmem_double_fetch(&d, me) == 2.5);
    shmem_finalize();
    return 0;
}
