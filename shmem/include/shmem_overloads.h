/* C++ overloads for shmem.h: the commonly used of the names that C11 generic selection gives. The standard asks for none; whatever
 * is missing here is there under its typed name, and fails to compile otherwise. */
#ifndef SHMEM_OVERLOADS_H
#define SHMEM_OVERLOADS_H

#define SHMEMI_CXX_RMA(P, N, T)                                                                                               \
    static inline void shmem_put(T *d, const T *s, size_t n, int pe) { shmem_##N##_put(d, s, n, pe); }                        \
    static inline void shmem_get(T *d, const T *s, size_t n, int pe) { shmem_##N##_get(d, s, n, pe); }                        \
    static inline void shmem_put_nbi(T *d, const T *s, size_t n, int pe) { shmem_##N##_put_nbi(d, s, n, pe); }                \
    static inline void shmem_get_nbi(T *d, const T *s, size_t n, int pe) { shmem_##N##_get_nbi(d, s, n, pe); }                \
    static inline void shmem_p(T *d, T v, int pe) { shmem_##N##_p(d, v, pe); }                                                \
    static inline T shmem_g(const T *s, int pe) { return shmem_##N##_g(s, pe); }                                              \
    static inline void shmem_iput(T *d, const T *s, ptrdiff_t dst, ptrdiff_t sst, size_t n, int pe) {                         \
        shmem_##N##_iput(d, s, dst, sst, n, pe);                                                                              \
    }                                                                                                                         \
    static inline void shmem_iget(T *d, const T *s, ptrdiff_t dst, ptrdiff_t sst, size_t n, int pe) {                         \
        shmem_##N##_iget(d, s, dst, sst, n, pe);                                                                              \
    }                                                                                                                         \
    static inline void shmem_put(shmem_ctx_t c, T *d, const T *s, size_t n, int pe) { shmem_ctx_##N##_put(c, d, s, n, pe); }  \
    static inline void shmem_get(shmem_ctx_t c, T *d, const T *s, size_t n, int pe) { shmem_ctx_##N##_get(c, d, s, n, pe); }  \
    static inline void shmem_put_nbi(shmem_ctx_t c, T *d, const T *s, size_t n, int pe) {                                     \
        shmem_ctx_##N##_put_nbi(c, d, s, n, pe);                                                                              \
    }                                                                                                                         \
    static inline void shmem_get_nbi(shmem_ctx_t c, T *d, const T *s, size_t n, int pe) {                                     \
        shmem_ctx_##N##_get_nbi(c, d, s, n, pe);                                                                              \
    }                                                                                                                         \
    static inline void shmem_p(shmem_ctx_t c, T *d, T v, int pe) { shmem_ctx_##N##_p(c, d, v, pe); }                          \
    static inline T shmem_g(shmem_ctx_t c, const T *s, int pe) { return shmem_ctx_##N##_g(c, s, pe); }                        \
    static inline void shmem_put_signal(T *d, const T *s, size_t n, uint64_t *a, uint64_t v, int op, int pe) {                \
        shmem_##N##_put_signal(d, s, n, a, v, op, pe);                                                                        \
    }                                                                                                                         \
    static inline void shmem_put_signal_nbi(T *d, const T *s, size_t n, uint64_t *a, uint64_t v, int op, int pe) {            \
        shmem_##N##_put_signal_nbi(d, s, n, a, v, op, pe);                                                                    \
    }                                                                                                                         \
    static inline void shmem_put_signal(shmem_ctx_t c, T *d, const T *s, size_t n, uint64_t *a, uint64_t v, int op, int pe) { \
        shmem_ctx_##N##_put_signal(c, d, s, n, a, v, op, pe);                                                                 \
    }                                                                                                                         \
    static inline int shmem_broadcast(shmem_team_t t, T *d, const T *s, size_t n, int root) {                                 \
        return shmem_##N##_broadcast(t, d, s, n, root);                                                                       \
    }                                                                                                                         \
    static inline int shmem_collect(shmem_team_t t, T *d, const T *s, size_t n) { return shmem_##N##_collect(t, d, s, n); }   \
    static inline int shmem_fcollect(shmem_team_t t, T *d, const T *s, size_t n) { return shmem_##N##_fcollect(t, d, s, n); } \
    static inline int shmem_alltoall(shmem_team_t t, T *d, const T *s, size_t n) { return shmem_##N##_alltoall(t, d, s, n); } \
    static inline int shmem_max_reduce(shmem_team_t t, T *d, const T *s, size_t n) { return shmem_##N##_max_reduce(t, d, s, n); } \
    static inline int shmem_min_reduce(shmem_team_t t, T *d, const T *s, size_t n) { return shmem_##N##_min_reduce(t, d, s, n); } \
    static inline int shmem_sum_reduce(shmem_team_t t, T *d, const T *s, size_t n) { return shmem_##N##_sum_reduce(t, d, s, n); } \
    static inline int shmem_prod_reduce(shmem_team_t t, T *d, const T *s, size_t n) { return shmem_##N##_prod_reduce(t, d, s, n); }

#define SHMEMI_CXX_EXTENDED(P, N, T)                                                                      \
    static inline T shmem_atomic_fetch(const T *s, int pe) { return shmem_##N##_atomic_fetch(s, pe); }    \
    static inline void shmem_atomic_set(T *d, T v, int pe) { shmem_##N##_atomic_set(d, v, pe); }          \
    static inline T shmem_atomic_swap(T *d, T v, int pe) { return shmem_##N##_atomic_swap(d, v, pe); }

#define SHMEMI_CXX_AMO(P, N, T)                                                                                     \
    static inline T shmem_atomic_compare_swap(T *d, T c, T v, int pe) {                                             \
        return shmem_##N##_atomic_compare_swap(d, c, v, pe);                                                        \
    }                                                                                                               \
    static inline T shmem_atomic_fetch_inc(T *d, int pe) { return shmem_##N##_atomic_fetch_inc(d, pe); }            \
    static inline void shmem_atomic_inc(T *d, int pe) { shmem_##N##_atomic_inc(d, pe); }                            \
    static inline T shmem_atomic_fetch_add(T *d, T v, int pe) { return shmem_##N##_atomic_fetch_add(d, v, pe); }    \
    static inline void shmem_atomic_add(T *d, T v, int pe) { shmem_##N##_atomic_add(d, v, pe); }

#define SHMEMI_CXX_BITWISE(P, N, T)                                                                                \
    static inline T shmem_atomic_fetch_and(T *d, T v, int pe) { return shmem_##N##_atomic_fetch_and(d, v, pe); }   \
    static inline T shmem_atomic_fetch_or(T *d, T v, int pe) { return shmem_##N##_atomic_fetch_or(d, v, pe); }     \
    static inline T shmem_atomic_fetch_xor(T *d, T v, int pe) { return shmem_##N##_atomic_fetch_xor(d, v, pe); }   \
    static inline void shmem_atomic_and(T *d, T v, int pe) { shmem_##N##_atomic_and(d, v, pe); }                   \
    static inline void shmem_atomic_or(T *d, T v, int pe) { shmem_##N##_atomic_or(d, v, pe); }                     \
    static inline void shmem_atomic_xor(T *d, T v, int pe) { shmem_##N##_atomic_xor(d, v, pe); }

/* long has the plain C function of that name. */
#define SHMEMI_CXX_TEST(P, N, T) \
    static inline int shmem_test(volatile T *v, int cmp, T x) { return shmem_##N##_test(v, cmp, x); }
#define SHMEMI_CXX_WAIT(P, N, T) \
    static inline void shmem_wait_until(volatile T *v, int cmp, T x) { shmem_##N##_wait_until(v, cmp, x); }

SHMEMI_RMA_GENERIC(SHMEMI_CXX_RMA, )
SHMEMI_EXTENDED_GENERIC(SHMEMI_CXX_EXTENDED, )
SHMEMI_AMO_GENERIC(SHMEMI_CXX_AMO, )
SHMEMI_BITWISE_GENERIC(SHMEMI_CXX_BITWISE, )
SHMEMI_P2P_GENERIC(SHMEMI_CXX_TEST, )
SHMEMI_CXX_WAIT(, short, short)
SHMEMI_CXX_WAIT(, int, int)
SHMEMI_CXX_WAIT(, longlong, long long)
SHMEMI_CXX_WAIT(, ushort, unsigned short)
SHMEMI_CXX_WAIT(, uint, unsigned int)
SHMEMI_CXX_WAIT(, ulong, unsigned long)
SHMEMI_CXX_WAIT(, ulonglong, unsigned long long)

static inline int shmem_sync(shmem_team_t team) { return shmem_team_sync(team); }

#endif
