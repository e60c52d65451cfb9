/* C++ overloads for shmem.h: the names that C11 generic selection gives. The standard asks for none.
 *
 * Each is the typed function under another name, and no function of its own: a report names the line that calls it. */
#ifndef SHMEM_OVERLOADS_H
#define SHMEM_OVERLOADS_H

#define SHMEMI_CXX(RET, NAME, SYMBOL, ARGS) RET NAME ARGS __asm__(#SYMBOL);

#define SHMEMI_CXX_RMA(P, N, T)                                                                                                                                  \
    SHMEMI_CXX(void, shmem_put, shmem_##N##_put, (T *d, const T *s, size_t n, int pe))                                                                           \
    SHMEMI_CXX(void, shmem_put, shmem_ctx_##N##_put, (shmem_ctx_t c, T *d, const T *s, size_t n, int pe))                                                        \
    SHMEMI_CXX(void, shmem_get, shmem_##N##_get, (T *d, const T *s, size_t n, int pe))                                                                           \
    SHMEMI_CXX(void, shmem_get, shmem_ctx_##N##_get, (shmem_ctx_t c, T *d, const T *s, size_t n, int pe))                                                        \
    SHMEMI_CXX(void, shmem_put_nbi, shmem_##N##_put_nbi, (T *d, const T *s, size_t n, int pe))                                                                   \
    SHMEMI_CXX(void, shmem_put_nbi, shmem_ctx_##N##_put_nbi, (shmem_ctx_t c, T *d, const T *s, size_t n, int pe))                                                \
    SHMEMI_CXX(void, shmem_get_nbi, shmem_##N##_get_nbi, (T *d, const T *s, size_t n, int pe))                                                                   \
    SHMEMI_CXX(void, shmem_get_nbi, shmem_ctx_##N##_get_nbi, (shmem_ctx_t c, T *d, const T *s, size_t n, int pe))                                                \
    SHMEMI_CXX(void, shmem_p, shmem_##N##_p, (T *d, T v, int pe))                                                                                                \
    SHMEMI_CXX(void, shmem_p, shmem_ctx_##N##_p, (shmem_ctx_t c, T *d, T v, int pe))                                                                             \
    SHMEMI_CXX(T, shmem_g, shmem_##N##_g, (const T *s, int pe))                                                                                                  \
    SHMEMI_CXX(T, shmem_g, shmem_ctx_##N##_g, (shmem_ctx_t c, const T *s, int pe))                                                                               \
    SHMEMI_CXX(void, shmem_iput, shmem_##N##_iput, (T *d, const T *s, ptrdiff_t dst, ptrdiff_t sst, size_t n, int pe))                                           \
    SHMEMI_CXX(void, shmem_iput, shmem_ctx_##N##_iput, (shmem_ctx_t c, T *d, const T *s, ptrdiff_t dst, ptrdiff_t sst, size_t n, int pe))                        \
    SHMEMI_CXX(void, shmem_iget, shmem_##N##_iget, (T *d, const T *s, ptrdiff_t dst, ptrdiff_t sst, size_t n, int pe))                                           \
    SHMEMI_CXX(void, shmem_iget, shmem_ctx_##N##_iget, (shmem_ctx_t c, T *d, const T *s, ptrdiff_t dst, ptrdiff_t sst, size_t n, int pe))                        \
    SHMEMI_CXX(void, shmem_put_signal, shmem_##N##_put_signal, (T *d, const T *s, size_t n, uint64_t *a, uint64_t v, int op, int pe))                            \
    SHMEMI_CXX(void, shmem_put_signal, shmem_ctx_##N##_put_signal, (shmem_ctx_t c, T *d, const T *s, size_t n, uint64_t *a, uint64_t v, int op, int pe))         \
    SHMEMI_CXX(void, shmem_put_signal_nbi, shmem_##N##_put_signal_nbi, (T *d, const T *s, size_t n, uint64_t *a, uint64_t v, int op, int pe))                    \
    SHMEMI_CXX(void, shmem_put_signal_nbi, shmem_ctx_##N##_put_signal_nbi, (shmem_ctx_t c, T *d, const T *s, size_t n, uint64_t *a, uint64_t v, int op, int pe)) \
    SHMEMI_CXX(int, shmem_broadcast, shmem_##N##_broadcast, (shmem_team_t t, T *d, const T *s, size_t n, int root))                                              \
    SHMEMI_CXX(int, shmem_collect, shmem_##N##_collect, (shmem_team_t t, T *d, const T *s, size_t n))                                                            \
    SHMEMI_CXX(int, shmem_fcollect, shmem_##N##_fcollect, (shmem_team_t t, T *d, const T *s, size_t n))                                                          \
    SHMEMI_CXX(int, shmem_alltoall, shmem_##N##_alltoall, (shmem_team_t t, T *d, const T *s, size_t n))                                                          \
    SHMEMI_CXX(int, shmem_alltoalls, shmem_##N##_alltoalls, (shmem_team_t t, T *d, const T *s, ptrdiff_t dst, ptrdiff_t sst, size_t n))                          \
    SHMEMI_CXX(int, shmem_max_reduce, shmem_##N##_max_reduce, (shmem_team_t t, T *d, const T *s, size_t n))                                                      \
    SHMEMI_CXX(int, shmem_min_reduce, shmem_##N##_min_reduce, (shmem_team_t t, T *d, const T *s, size_t n))                                                      \
    SHMEMI_CXX(int, shmem_sum_reduce, shmem_##N##_sum_reduce, (shmem_team_t t, T *d, const T *s, size_t n))                                                      \
    SHMEMI_CXX(int, shmem_prod_reduce, shmem_##N##_prod_reduce, (shmem_team_t t, T *d, const T *s, size_t n))

#define SHMEMI_CXX_EXTENDED(P, N, T)                                                                                      \
    SHMEMI_CXX(T, shmem_atomic_fetch, shmem_##N##_atomic_fetch, (const T *s, int pe))                                     \
    SHMEMI_CXX(T, shmem_atomic_fetch, shmem_ctx_##N##_atomic_fetch, (shmem_ctx_t c, const T *s, int pe))                  \
    SHMEMI_CXX(void, shmem_atomic_set, shmem_##N##_atomic_set, (T *d, T v, int pe))                                       \
    SHMEMI_CXX(void, shmem_atomic_set, shmem_ctx_##N##_atomic_set, (shmem_ctx_t c, T *d, T v, int pe))                    \
    SHMEMI_CXX(T, shmem_atomic_swap, shmem_##N##_atomic_swap, (T *d, T v, int pe))                                        \
    SHMEMI_CXX(T, shmem_atomic_swap, shmem_ctx_##N##_atomic_swap, (shmem_ctx_t c, T *d, T v, int pe))                     \
    SHMEMI_CXX(void, shmem_atomic_fetch_nbi, shmem_##N##_atomic_fetch_nbi, (T *f, const T *s, int pe))                    \
    SHMEMI_CXX(void, shmem_atomic_fetch_nbi, shmem_ctx_##N##_atomic_fetch_nbi, (shmem_ctx_t c, T *f, const T *s, int pe)) \
    SHMEMI_CXX(void, shmem_atomic_swap_nbi, shmem_##N##_atomic_swap_nbi, (T *f, T *d, T v, int pe))                       \
    SHMEMI_CXX(void, shmem_atomic_swap_nbi, shmem_ctx_##N##_atomic_swap_nbi, (shmem_ctx_t c, T *f, T *d, T v, int pe))

#define SHMEMI_CXX_AMO(P, N, T)                                                                                                             \
    SHMEMI_CXX(T, shmem_atomic_compare_swap, shmem_##N##_atomic_compare_swap, (T *d, T k, T v, int pe))                                     \
    SHMEMI_CXX(T, shmem_atomic_compare_swap, shmem_ctx_##N##_atomic_compare_swap, (shmem_ctx_t c, T *d, T k, T v, int pe))                  \
    SHMEMI_CXX(T, shmem_atomic_fetch_inc, shmem_##N##_atomic_fetch_inc, (T *d, int pe))                                                     \
    SHMEMI_CXX(T, shmem_atomic_fetch_inc, shmem_ctx_##N##_atomic_fetch_inc, (shmem_ctx_t c, T *d, int pe))                                  \
    SHMEMI_CXX(void, shmem_atomic_inc, shmem_##N##_atomic_inc, (T *d, int pe))                                                              \
    SHMEMI_CXX(void, shmem_atomic_inc, shmem_ctx_##N##_atomic_inc, (shmem_ctx_t c, T *d, int pe))                                           \
    SHMEMI_CXX(T, shmem_atomic_fetch_add, shmem_##N##_atomic_fetch_add, (T *d, T v, int pe))                                                \
    SHMEMI_CXX(T, shmem_atomic_fetch_add, shmem_ctx_##N##_atomic_fetch_add, (shmem_ctx_t c, T *d, T v, int pe))                             \
    SHMEMI_CXX(void, shmem_atomic_add, shmem_##N##_atomic_add, (T *d, T v, int pe))                                                         \
    SHMEMI_CXX(void, shmem_atomic_add, shmem_ctx_##N##_atomic_add, (shmem_ctx_t c, T *d, T v, int pe))                                      \
    SHMEMI_CXX(void, shmem_atomic_compare_swap_nbi, shmem_##N##_atomic_compare_swap_nbi, (T *f, T *d, T k, T v, int pe))                    \
    SHMEMI_CXX(void, shmem_atomic_compare_swap_nbi, shmem_ctx_##N##_atomic_compare_swap_nbi, (shmem_ctx_t c, T *f, T *d, T k, T v, int pe)) \
    SHMEMI_CXX(void, shmem_atomic_fetch_inc_nbi, shmem_##N##_atomic_fetch_inc_nbi, (T *f, T *d, int pe))                                    \
    SHMEMI_CXX(void, shmem_atomic_fetch_inc_nbi, shmem_ctx_##N##_atomic_fetch_inc_nbi, (shmem_ctx_t c, T *f, T *d, int pe))                 \
    SHMEMI_CXX(void, shmem_atomic_fetch_add_nbi, shmem_##N##_atomic_fetch_add_nbi, (T *f, T *d, T v, int pe))                               \
    SHMEMI_CXX(void, shmem_atomic_fetch_add_nbi, shmem_ctx_##N##_atomic_fetch_add_nbi, (shmem_ctx_t c, T *f, T *d, T v, int pe))

#define SHMEMI_CXX_BITWISE(P, N, T)                                                                                              \
    SHMEMI_CXX(T, shmem_atomic_fetch_and, shmem_##N##_atomic_fetch_and, (T *d, T v, int pe))                                     \
    SHMEMI_CXX(T, shmem_atomic_fetch_and, shmem_ctx_##N##_atomic_fetch_and, (shmem_ctx_t c, T *d, T v, int pe))                  \
    SHMEMI_CXX(void, shmem_atomic_and, shmem_##N##_atomic_and, (T *d, T v, int pe))                                              \
    SHMEMI_CXX(void, shmem_atomic_and, shmem_ctx_##N##_atomic_and, (shmem_ctx_t c, T *d, T v, int pe))                           \
    SHMEMI_CXX(void, shmem_atomic_fetch_and_nbi, shmem_##N##_atomic_fetch_and_nbi, (T *f, T *d, T v, int pe))                    \
    SHMEMI_CXX(void, shmem_atomic_fetch_and_nbi, shmem_ctx_##N##_atomic_fetch_and_nbi, (shmem_ctx_t c, T *f, T *d, T v, int pe)) \
    SHMEMI_CXX(T, shmem_atomic_fetch_or, shmem_##N##_atomic_fetch_or, (T *d, T v, int pe))                                       \
    SHMEMI_CXX(T, shmem_atomic_fetch_or, shmem_ctx_##N##_atomic_fetch_or, (shmem_ctx_t c, T *d, T v, int pe))                    \
    SHMEMI_CXX(void, shmem_atomic_or, shmem_##N##_atomic_or, (T *d, T v, int pe))                                                \
    SHMEMI_CXX(void, shmem_atomic_or, shmem_ctx_##N##_atomic_or, (shmem_ctx_t c, T *d, T v, int pe))                             \
    SHMEMI_CXX(void, shmem_atomic_fetch_or_nbi, shmem_##N##_atomic_fetch_or_nbi, (T *f, T *d, T v, int pe))                      \
    SHMEMI_CXX(void, shmem_atomic_fetch_or_nbi, shmem_ctx_##N##_atomic_fetch_or_nbi, (shmem_ctx_t c, T *f, T *d, T v, int pe))   \
    SHMEMI_CXX(T, shmem_atomic_fetch_xor, shmem_##N##_atomic_fetch_xor, (T *d, T v, int pe))                                     \
    SHMEMI_CXX(T, shmem_atomic_fetch_xor, shmem_ctx_##N##_atomic_fetch_xor, (shmem_ctx_t c, T *d, T v, int pe))                  \
    SHMEMI_CXX(void, shmem_atomic_xor, shmem_##N##_atomic_xor, (T *d, T v, int pe))                                              \
    SHMEMI_CXX(void, shmem_atomic_xor, shmem_ctx_##N##_atomic_xor, (shmem_ctx_t c, T *d, T v, int pe))                           \
    SHMEMI_CXX(void, shmem_atomic_fetch_xor_nbi, shmem_##N##_atomic_fetch_xor_nbi, (T *f, T *d, T v, int pe))                    \
    SHMEMI_CXX(void, shmem_atomic_fetch_xor_nbi, shmem_ctx_##N##_atomic_fetch_xor_nbi, (shmem_ctx_t c, T *f, T *d, T v, int pe))

#define SHMEMI_CXX_REDUCE_BITWISE(P, N, T)                                                                  \
    SHMEMI_CXX(int, shmem_and_reduce, shmem_##N##_and_reduce, (shmem_team_t t, T *d, const T *s, size_t n)) \
    SHMEMI_CXX(int, shmem_or_reduce, shmem_##N##_or_reduce, (shmem_team_t t, T *d, const T *s, size_t n))   \
    SHMEMI_CXX(int, shmem_xor_reduce, shmem_##N##_xor_reduce, (shmem_team_t t, T *d, const T *s, size_t n))

#define SHMEMI_CXX_P2P(P, N, T)                                                                                                                                    \
    SHMEMI_CXX(int, shmem_test, shmem_##N##_test, (volatile T *v, int cmp, T x))                                                                                   \
    SHMEMI_CXX(void, shmem_wait_until_all, shmem_##N##_wait_until_all, (volatile T *v, size_t n, const int *st, int cmp, T x))                                     \
    SHMEMI_CXX(size_t, shmem_wait_until_any, shmem_##N##_wait_until_any, (volatile T *v, size_t n, const int *st, int cmp, T x))                                   \
    SHMEMI_CXX(size_t, shmem_wait_until_some, shmem_##N##_wait_until_some, (volatile T *v, size_t n, size_t *i, const int *st, int cmp, T x))                      \
    SHMEMI_CXX(int, shmem_test_all, shmem_##N##_test_all, (volatile T *v, size_t n, const int *st, int cmp, T x))                                                  \
    SHMEMI_CXX(size_t, shmem_test_any, shmem_##N##_test_any, (volatile T *v, size_t n, const int *st, int cmp, T x))                                               \
    SHMEMI_CXX(size_t, shmem_test_some, shmem_##N##_test_some, (volatile T *v, size_t n, size_t *i, const int *st, int cmp, T x))                                  \
    SHMEMI_CXX(void, shmem_wait_until_all_vector, shmem_##N##_wait_until_all_vector, (volatile T *v, size_t n, const int *st, int cmp, const T *x))                \
    SHMEMI_CXX(size_t, shmem_wait_until_any_vector, shmem_##N##_wait_until_any_vector, (volatile T *v, size_t n, const int *st, int cmp, const T *x))              \
    SHMEMI_CXX(size_t, shmem_wait_until_some_vector, shmem_##N##_wait_until_some_vector, (volatile T *v, size_t n, size_t *i, const int *st, int cmp, const T *x)) \
    SHMEMI_CXX(int, shmem_test_all_vector, shmem_##N##_test_all_vector, (volatile T *v, size_t n, const int *st, int cmp, const T *x))                             \
    SHMEMI_CXX(size_t, shmem_test_any_vector, shmem_##N##_test_any_vector, (volatile T *v, size_t n, const int *st, int cmp, const T *x))                          \
    SHMEMI_CXX(size_t, shmem_test_some_vector, shmem_##N##_test_some_vector, (volatile T *v, size_t n, size_t *i, const int *st, int cmp, const T *x))

/* long has the plain C function of that name. */
#define SHMEMI_CXX_WAIT(P, N, T)                                                              \
    SHMEMI_CXX(void, shmem_wait_until, shmem_##N##_wait_until, (volatile T *v, int cmp, T x))

SHMEMI_RMA_GENERIC(SHMEMI_CXX_RMA, )
SHMEMI_EXTENDED_GENERIC(SHMEMI_CXX_EXTENDED, )
SHMEMI_AMO_GENERIC(SHMEMI_CXX_AMO, )
SHMEMI_BITWISE_GENERIC(SHMEMI_CXX_BITWISE, )
SHMEMI_REDUCE_BITWISE_GENERIC(SHMEMI_CXX_REDUCE_BITWISE, )
SHMEMI_P2P_GENERIC(SHMEMI_CXX_P2P, )
SHMEMI_CXX_WAIT(, short, short)
SHMEMI_CXX_WAIT(, int, int)
SHMEMI_CXX_WAIT(, longlong, long long)
SHMEMI_CXX_WAIT(, ushort, unsigned short)
SHMEMI_CXX_WAIT(, uint, unsigned int)
SHMEMI_CXX_WAIT(, ulong, unsigned long)
SHMEMI_CXX_WAIT(, ulonglong, unsigned long long)

int shmem_sync(shmem_team_t team) __asm__("shmem_team_sync");

#endif
