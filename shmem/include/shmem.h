/* OpenSHMEM 1.5, and the older names that programs still use: the embedded library of PGAS-Thrille.
 *
 * The typed functions are made from tables of types: SHMEMI_..._TYPES(X, P) expands X(P, TYPENAME, TYPE) for each row, P being the
 * prefix of the function names, shmem or pshmem (the profiling names). Names that begin with SHMEMI_ are not for programs. */
#ifndef SHMEM_H
#define SHMEM_H

#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
#include <complex>
#endif

/* ---- constants ---- */

#define SHMEM_MAJOR_VERSION 1
#define SHMEM_MINOR_VERSION 5
#define SHMEM_MAX_NAME_LEN 64
#define SHMEM_VENDOR_STRING "PGAS-Thrille embedded OpenSHMEM"

#define SHMEM_THREAD_SINGLE 0
#define SHMEM_THREAD_FUNNELED 1
#define SHMEM_THREAD_SERIALIZED 2
#define SHMEM_THREAD_MULTIPLE 3

#define SHMEM_CMP_EQ 1
#define SHMEM_CMP_NE 2
#define SHMEM_CMP_GT 3
#define SHMEM_CMP_GE 4
#define SHMEM_CMP_LT 5
#define SHMEM_CMP_LE 6

#define SHMEM_SIGNAL_SET 0
#define SHMEM_SIGNAL_ADD 1

#define SHMEM_CTX_SERIALIZED (1L << 0)
#define SHMEM_CTX_PRIVATE (1L << 1)
#define SHMEM_CTX_NOSTORE (1L << 2)

#define SHMEM_TEAM_NUM_CONTEXTS (1L << 0)

#define SHMEM_MALLOC_ATOMICS_REMOTE (1L << 0)
#define SHMEM_MALLOC_SIGNAL_REMOTE (1L << 1)

#define SHMEM_SYNC_VALUE 0L
#define SHMEM_SYNC_SIZE 8
#define SHMEM_BARRIER_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_BCAST_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_COLLECT_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALL_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALLS_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_MIN_WRKDATA_SIZE 8

/* What programs written for Open MPI's library ask for. */
#define OSHMEM_SPEC_VERSION 10500
#define OSHMEM_API_VERSION "1.5"
#define _SHMEM_MAJOR_VERSION SHMEM_MAJOR_VERSION
#define _SHMEM_MINOR_VERSION SHMEM_MINOR_VERSION
#define _SHMEM_MAX_NAME_LEN SHMEM_MAX_NAME_LEN
#define _SHMEM_VENDOR_STRING SHMEM_VENDOR_STRING
#define _SHMEM_CMP_EQ SHMEM_CMP_EQ
#define _SHMEM_CMP_NE SHMEM_CMP_NE
#define _SHMEM_CMP_GT SHMEM_CMP_GT
#define _SHMEM_CMP_GE SHMEM_CMP_GE
#define _SHMEM_CMP_LT SHMEM_CMP_LT
#define _SHMEM_CMP_LE SHMEM_CMP_LE
#define _SHMEM_SYNC_VALUE SHMEM_SYNC_VALUE
#define _SHMEM_SYNC_SIZE SHMEM_SYNC_SIZE
#define _SHMEM_BARRIER_SYNC_SIZE SHMEM_BARRIER_SYNC_SIZE
#define _SHMEM_BCAST_SYNC_SIZE SHMEM_BCAST_SYNC_SIZE
#define _SHMEM_COLLECT_SYNC_SIZE SHMEM_COLLECT_SYNC_SIZE
#define _SHMEM_REDUCE_SYNC_SIZE SHMEM_REDUCE_SYNC_SIZE
#define _SHMEM_ALLTOALL_SYNC_SIZE SHMEM_ALLTOALL_SYNC_SIZE
#define _SHMEM_ALLTOALLS_SYNC_SIZE SHMEM_ALLTOALLS_SYNC_SIZE
#define _SHMEM_REDUCE_MIN_WRKDATA_SIZE SHMEM_REDUCE_MIN_WRKDATA_SIZE

/* ---- handles ---- */

typedef struct shmemi_ctx *shmem_ctx_t;
typedef struct shmemi_team *shmem_team_t;
typedef struct {
    int num_contexts;
} shmem_team_config_t;

#define SHMEM_CTX_INVALID ((shmem_ctx_t)0)
#define SHMEM_CTX_DEFAULT ((shmem_ctx_t)1)
#define SHMEM_TEAM_INVALID ((shmem_team_t)0)
#define SHMEM_TEAM_WORLD ((shmem_team_t)1)
#define SHMEM_TEAM_SHARED ((shmem_team_t)2)

/* ---- tables of types ---- */

#ifdef __cplusplus
typedef std::complex<float> shmemi_complexf;
typedef std::complex<double> shmemi_complexd;
#else
typedef float _Complex shmemi_complexf;
typedef double _Complex shmemi_complexd;
#endif

/* The types that differ: what generic selection chooses from. */
#define SHMEMI_INTEGER_GENERIC(X, P)      \
    X(P, char, char)                      \
    X(P, schar, signed char)              \
    X(P, short, short)                    \
    X(P, int, int)                        \
    X(P, long, long)                      \
    X(P, longlong, long long)             \
    X(P, uchar, unsigned char)            \
    X(P, ushort, unsigned short)          \
    X(P, uint, unsigned int)              \
    X(P, ulong, unsigned long)            \
    X(P, ulonglong, unsigned long long)
#define SHMEMI_RMA_GENERIC(X, P)  \
    SHMEMI_INTEGER_GENERIC(X, P)  \
    X(P, float, float)            \
    X(P, double, double)          \
    X(P, longdouble, long double)
#define SHMEMI_RMA_TYPES(X, P) \
    SHMEMI_RMA_GENERIC(X, P)   \
    X(P, int8, int8_t)         \
    X(P, int16, int16_t)       \
    X(P, int32, int32_t)       \
    X(P, int64, int64_t)       \
    X(P, uint8, uint8_t)       \
    X(P, uint16, uint16_t)     \
    X(P, uint32, uint32_t)     \
    X(P, uint64, uint64_t)     \
    X(P, size, size_t)         \
    X(P, ptrdiff, ptrdiff_t)

#define SHMEMI_AMO_GENERIC(X, P) \
    X(P, int, int)               \
    X(P, long, long)             \
    X(P, longlong, long long)    \
    X(P, uint, unsigned int)     \
    X(P, ulong, unsigned long)   \
    X(P, ulonglong, unsigned long long)
#define SHMEMI_AMO_TYPES(X, P) \
    SHMEMI_AMO_GENERIC(X, P)   \
    X(P, int32, int32_t)       \
    X(P, int64, int64_t)       \
    X(P, uint32, uint32_t)     \
    X(P, uint64, uint64_t)     \
    X(P, size, size_t)         \
    X(P, ptrdiff, ptrdiff_t)
#define SHMEMI_EXTENDED_GENERIC(X, P) \
    SHMEMI_AMO_GENERIC(X, P)          \
    X(P, float, float)                \
    X(P, double, double)
#define SHMEMI_EXTENDED_TYPES(X, P) \
    SHMEMI_AMO_TYPES(X, P)          \
    X(P, float, float)              \
    X(P, double, double)
#define SHMEMI_BITWISE_GENERIC(X, P)    \
    X(P, uint, unsigned int)            \
    X(P, ulong, unsigned long)          \
    X(P, ulonglong, unsigned long long) \
    X(P, int32, int32_t)                \
    X(P, int64, int64_t)
#define SHMEMI_BITWISE_TYPES(X, P) \
    SHMEMI_BITWISE_GENERIC(X, P)   \
    X(P, uint32, uint32_t)         \
    X(P, uint64, uint64_t)

#define SHMEMI_P2P_GENERIC(X, P) \
    SHMEMI_AMO_GENERIC(X, P)     \
    X(P, short, short)           \
    X(P, ushort, unsigned short)
#define SHMEMI_P2P_TYPES(X, P) \
    SHMEMI_AMO_TYPES(X, P)     \
    X(P, short, short)         \
    X(P, ushort, unsigned short)

#define SHMEMI_COMPLEX_TYPES(X, P)     \
    X(P, complexf, shmemi_complexf)    \
    X(P, complexd, shmemi_complexd)
#define SHMEMI_REDUCE_BITWISE_GENERIC(X, P) \
    X(P, uchar, unsigned char)              \
    X(P, ushort, unsigned short)            \
    X(P, uint, unsigned int)                \
    X(P, ulong, unsigned long)              \
    X(P, ulonglong, unsigned long long)     \
    X(P, int8, int8_t)                      \
    X(P, int16, int16_t)                    \
    X(P, int32, int32_t)                    \
    X(P, int64, int64_t)
#define SHMEMI_REDUCE_BITWISE_TYPES(X, P) \
    SHMEMI_REDUCE_BITWISE_GENERIC(X, P)   \
    X(P, uint8, uint8_t)                  \
    X(P, uint16, uint16_t)                \
    X(P, uint32, uint32_t)                \
    X(P, uint64, uint64_t)                \
    X(P, size, size_t)

#define SHMEMI_SET_BITWISE_TYPES(X, P) \
    X(P, short, short)                 \
    X(P, int, int)                     \
    X(P, long, long)                   \
    X(P, longlong, long long)
#define SHMEMI_SET_ORDER_TYPES(X, P) \
    SHMEMI_SET_BITWISE_TYPES(X, P)   \
    X(P, float, float)               \
    X(P, double, double)             \
    X(P, longdouble, long double)

#define SHMEMI_OLD_AMO_TYPES(X, P) \
    X(P, int, int)                 \
    X(P, long, long)               \
    X(P, longlong, long long)
#define SHMEMI_OLD_EXTENDED_TYPES(X, P) \
    SHMEMI_OLD_AMO_TYPES(X, P)          \
    X(P, float, float)                  \
    X(P, double, double)

/* ---- prototypes of one type ---- */

#define SHMEMI_RMA_DECL(P, N, T)                                                                                             \
    void P##_##N##_put(T *dest, const T *source, size_t nelems, int pe);                                                     \
    void P##_##N##_get(T *dest, const T *source, size_t nelems, int pe);                                                     \
    void P##_##N##_put_nbi(T *dest, const T *source, size_t nelems, int pe);                                                 \
    void P##_##N##_get_nbi(T *dest, const T *source, size_t nelems, int pe);                                                 \
    void P##_##N##_p(T *dest, T value, int pe);                                                                              \
    T P##_##N##_g(const T *source, int pe);                                                                                  \
    void P##_##N##_iput(T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);                      \
    void P##_##N##_iget(T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);                      \
    void P##_##N##_put_signal(T *dest, const T *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op,      \
                              int pe);                                                                                       \
    void P##_##N##_put_signal_nbi(T *dest, const T *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op,  \
                                  int pe);                                                                                   \
    void P##_ctx_##N##_put(shmem_ctx_t ctx, T *dest, const T *source, size_t nelems, int pe);                                \
    void P##_ctx_##N##_get(shmem_ctx_t ctx, T *dest, const T *source, size_t nelems, int pe);                                \
    void P##_ctx_##N##_put_nbi(shmem_ctx_t ctx, T *dest, const T *source, size_t nelems, int pe);                            \
    void P##_ctx_##N##_get_nbi(shmem_ctx_t ctx, T *dest, const T *source, size_t nelems, int pe);                            \
    void P##_ctx_##N##_p(shmem_ctx_t ctx, T *dest, T value, int pe);                                                         \
    T P##_ctx_##N##_g(shmem_ctx_t ctx, const T *source, int pe);                                                             \
    void P##_ctx_##N##_iput(shmem_ctx_t ctx, T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe); \
    void P##_ctx_##N##_iget(shmem_ctx_t ctx, T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe); \
    void P##_ctx_##N##_put_signal(shmem_ctx_t ctx, T *dest, const T *source, size_t nelems, uint64_t *sig_addr,              \
                                  uint64_t signal, int sig_op, int pe);                                                      \
    void P##_ctx_##N##_put_signal_nbi(shmem_ctx_t ctx, T *dest, const T *source, size_t nelems, uint64_t *sig_addr,          \
                                      uint64_t signal, int sig_op, int pe);                                                  \
    int P##_##N##_broadcast(shmem_team_t team, T *dest, const T *source, size_t nelems, int PE_root);                        \
    int P##_##N##_collect(shmem_team_t team, T *dest, const T *source, size_t nelems);                                       \
    int P##_##N##_fcollect(shmem_team_t team, T *dest, const T *source, size_t nelems);                                      \
    int P##_##N##_alltoall(shmem_team_t team, T *dest, const T *source, size_t nelems);                                      \
    int P##_##N##_alltoalls(shmem_team_t team, T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems);       \
    int P##_##N##_max_reduce(shmem_team_t team, T *dest, const T *source, size_t nreduce);                                   \
    int P##_##N##_min_reduce(shmem_team_t team, T *dest, const T *source, size_t nreduce);

#define SHMEMI_REDUCE_ARITH_DECL(P, N, T)                                                   \
    int P##_##N##_sum_reduce(shmem_team_t team, T *dest, const T *source, size_t nreduce);  \
    int P##_##N##_prod_reduce(shmem_team_t team, T *dest, const T *source, size_t nreduce);
#define SHMEMI_REDUCE_BITWISE_DECL(P, N, T)                                                 \
    int P##_##N##_and_reduce(shmem_team_t team, T *dest, const T *source, size_t nreduce);  \
    int P##_##N##_or_reduce(shmem_team_t team, T *dest, const T *source, size_t nreduce);   \
    int P##_##N##_xor_reduce(shmem_team_t team, T *dest, const T *source, size_t nreduce);

#define SHMEMI_TO_ALL(P, N, T, OP)                                                                                          \
    void P##_##N##_##OP##_to_all(T *dest, const T *source, int nreduce, int PE_start, int logPE_stride, int PE_size, T *pWrk, \
                                 long *pSync);
#define SHMEMI_SET_ARITH_DECL(P, N, T) SHMEMI_TO_ALL(P, N, T, sum) SHMEMI_TO_ALL(P, N, T, prod)
#define SHMEMI_SET_ORDER_DECL(P, N, T) SHMEMI_TO_ALL(P, N, T, max) SHMEMI_TO_ALL(P, N, T, min)
#define SHMEMI_SET_BITWISE_DECL(P, N, T) \
    SHMEMI_TO_ALL(P, N, T, and) SHMEMI_TO_ALL(P, N, T, or) SHMEMI_TO_ALL(P, N, T, xor)

#define SHMEMI_AMO_DECL(P, N, T)                                                                                     \
    T P##_##N##_atomic_compare_swap(T *dest, T cond, T value, int pe);                                               \
    T P##_##N##_atomic_fetch_inc(T *dest, int pe);                                                                   \
    void P##_##N##_atomic_inc(T *dest, int pe);                                                                      \
    T P##_##N##_atomic_fetch_add(T *dest, T value, int pe);                                                          \
    void P##_##N##_atomic_add(T *dest, T value, int pe);                                                             \
    void P##_##N##_atomic_compare_swap_nbi(T *fetch, T *dest, T cond, T value, int pe);                              \
    void P##_##N##_atomic_fetch_inc_nbi(T *fetch, T *dest, int pe);                                                  \
    void P##_##N##_atomic_fetch_add_nbi(T *fetch, T *dest, T value, int pe);                                         \
    T P##_ctx_##N##_atomic_compare_swap(shmem_ctx_t ctx, T *dest, T cond, T value, int pe);                          \
    T P##_ctx_##N##_atomic_fetch_inc(shmem_ctx_t ctx, T *dest, int pe);                                              \
    void P##_ctx_##N##_atomic_inc(shmem_ctx_t ctx, T *dest, int pe);                                                 \
    T P##_ctx_##N##_atomic_fetch_add(shmem_ctx_t ctx, T *dest, T value, int pe);                                     \
    void P##_ctx_##N##_atomic_add(shmem_ctx_t ctx, T *dest, T value, int pe);                                        \
    void P##_ctx_##N##_atomic_compare_swap_nbi(shmem_ctx_t ctx, T *fetch, T *dest, T cond, T value, int pe);         \
    void P##_ctx_##N##_atomic_fetch_inc_nbi(shmem_ctx_t ctx, T *fetch, T *dest, int pe);                             \
    void P##_ctx_##N##_atomic_fetch_add_nbi(shmem_ctx_t ctx, T *fetch, T *dest, T value, int pe);

#define SHMEMI_EXTENDED_DECL(P, N, T)                                                                  \
    T P##_##N##_atomic_fetch(const T *source, int pe);                                                 \
    void P##_##N##_atomic_set(T *dest, T value, int pe);                                               \
    T P##_##N##_atomic_swap(T *dest, T value, int pe);                                                 \
    void P##_##N##_atomic_fetch_nbi(T *fetch, const T *source, int pe);                                \
    void P##_##N##_atomic_swap_nbi(T *fetch, T *dest, T value, int pe);                                \
    T P##_ctx_##N##_atomic_fetch(shmem_ctx_t ctx, const T *source, int pe);                            \
    void P##_ctx_##N##_atomic_set(shmem_ctx_t ctx, T *dest, T value, int pe);                          \
    T P##_ctx_##N##_atomic_swap(shmem_ctx_t ctx, T *dest, T value, int pe);                            \
    void P##_ctx_##N##_atomic_fetch_nbi(shmem_ctx_t ctx, T *fetch, const T *source, int pe);           \
    void P##_ctx_##N##_atomic_swap_nbi(shmem_ctx_t ctx, T *fetch, T *dest, T value, int pe);

#define SHMEMI_BITWISE_OP(P, N, T, OP)                                                                        \
    T P##_##N##_atomic_fetch_##OP(T *dest, T value, int pe);                                                  \
    void P##_##N##_atomic_##OP(T *dest, T value, int pe);                                                     \
    void P##_##N##_atomic_fetch_##OP##_nbi(T *fetch, T *dest, T value, int pe);                               \
    T P##_ctx_##N##_atomic_fetch_##OP(shmem_ctx_t ctx, T *dest, T value, int pe);                             \
    void P##_ctx_##N##_atomic_##OP(shmem_ctx_t ctx, T *dest, T value, int pe);                                \
    void P##_ctx_##N##_atomic_fetch_##OP##_nbi(shmem_ctx_t ctx, T *fetch, T *dest, T value, int pe);
#define SHMEMI_BITWISE_DECL(P, N, T) \
    SHMEMI_BITWISE_OP(P, N, T, and) SHMEMI_BITWISE_OP(P, N, T, or) SHMEMI_BITWISE_OP(P, N, T, xor)

#define SHMEMI_OLD_AMO_DECL(P, N, T)                \
    T P##_##N##_cswap(T *dest, T cond, T value, int pe); \
    T P##_##N##_finc(T *dest, int pe);              \
    void P##_##N##_inc(T *dest, int pe);            \
    T P##_##N##_fadd(T *dest, T value, int pe);     \
    void P##_##N##_add(T *dest, T value, int pe);
#define SHMEMI_OLD_EXTENDED_DECL(P, N, T)           \
    T P##_##N##_fetch(const T *source, int pe);     \
    void P##_##N##_set(T *dest, T value, int pe);   \
    T P##_##N##_swap(T *dest, T value, int pe);

/* The variables are volatile, because older programs declare theirs so. */
#define SHMEMI_P2P_DECL(P, N, T)                                                                                              \
    void P##_##N##_wait_until(volatile T *ivar, int cmp, T cmp_value);                                                        \
    void P##_##N##_wait_until_all(volatile T *ivars, size_t nelems, const int *status, int cmp, T cmp_value);                 \
    size_t P##_##N##_wait_until_any(volatile T *ivars, size_t nelems, const int *status, int cmp, T cmp_value);               \
    size_t P##_##N##_wait_until_some(volatile T *ivars, size_t nelems, size_t *indices, const int *status, int cmp,           \
                                     T cmp_value);                                                                            \
    void P##_##N##_wait_until_all_vector(volatile T *ivars, size_t nelems, const int *status, int cmp, const T *cmp_values);  \
    size_t P##_##N##_wait_until_any_vector(volatile T *ivars, size_t nelems, const int *status, int cmp, const T *cmp_values); \
    size_t P##_##N##_wait_until_some_vector(volatile T *ivars, size_t nelems, size_t *indices, const int *status, int cmp,    \
                                            const T *cmp_values);                                                             \
    int P##_##N##_test(volatile T *ivar, int cmp, T cmp_value);                                                               \
    int P##_##N##_test_all(volatile T *ivars, size_t nelems, const int *status, int cmp, T cmp_value);                        \
    size_t P##_##N##_test_any(volatile T *ivars, size_t nelems, const int *status, int cmp, T cmp_value);                     \
    size_t P##_##N##_test_some(volatile T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, T cmp_value);   \
    int P##_##N##_test_all_vector(volatile T *ivars, size_t nelems, const int *status, int cmp, const T *cmp_values);         \
    size_t P##_##N##_test_any_vector(volatile T *ivars, size_t nelems, const int *status, int cmp, const T *cmp_values);      \
    size_t P##_##N##_test_some_vector(volatile T *ivars, size_t nelems, size_t *indices, const int *status, int cmp,          \
                                      const T *cmp_values);

/* ---- prototypes without a type ---- */

#define SHMEMI_BYTES_DECL(PUT, GET)                                                                                      \
    void PUT(void *dest, const void *source, size_t nelems, int pe);                                                     \
    void GET(void *dest, const void *source, size_t nelems, int pe);                                                     \
    void PUT##_nbi(void *dest, const void *source, size_t nelems, int pe);                                               \
    void GET##_nbi(void *dest, const void *source, size_t nelems, int pe);                                               \
    void PUT##_signal(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op,    \
                      int pe);                                                                                           \
    void PUT##_signal_nbi(void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, \
                          int pe);
#define SHMEMI_CTX_BYTES_DECL(PUT, GET)                                                                                  \
    void PUT(shmem_ctx_t ctx, void *dest, const void *source, size_t nelems, int pe);                                    \
    void GET(shmem_ctx_t ctx, void *dest, const void *source, size_t nelems, int pe);                                    \
    void PUT##_nbi(shmem_ctx_t ctx, void *dest, const void *source, size_t nelems, int pe);                              \
    void GET##_nbi(shmem_ctx_t ctx, void *dest, const void *source, size_t nelems, int pe);                              \
    void PUT##_signal(shmem_ctx_t ctx, void *dest, const void *source, size_t nelems, uint64_t *sig_addr,                \
                      uint64_t signal, int sig_op, int pe);                                                              \
    void PUT##_signal_nbi(shmem_ctx_t ctx, void *dest, const void *source, size_t nelems, uint64_t *sig_addr,            \
                          uint64_t signal, int sig_op, int pe);
#define SHMEMI_SIZED_DECL(P, B)                                                                                              \
    SHMEMI_BYTES_DECL(P##_put##B, P##_get##B)                                                                                \
    SHMEMI_CTX_BYTES_DECL(P##_ctx_put##B, P##_ctx_get##B)                                                                    \
    void P##_iput##B(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);                   \
    void P##_iget##B(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);                   \
    void P##_ctx_iput##B(shmem_ctx_t ctx, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe); \
    void P##_ctx_iget##B(shmem_ctx_t ctx, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);

#define SHMEMI_SET_SIZED_DECL(P, B)                                                                                          \
    void P##_broadcast##B(void *dest, const void *source, size_t nelems, int PE_root, int PE_start, int logPE_stride,        \
                          int PE_size, long *pSync);                                                                         \
    void P##_collect##B(void *dest, const void *source, size_t nelems, int PE_start, int logPE_stride, int PE_size,          \
                        long *pSync);                                                                                        \
    void P##_fcollect##B(void *dest, const void *source, size_t nelems, int PE_start, int logPE_stride, int PE_size,         \
                         long *pSync);                                                                                       \
    void P##_alltoall##B(void *dest, const void *source, size_t nelems, int PE_start, int logPE_stride, int PE_size,         \
                         long *pSync);                                                                                       \
    void P##_alltoalls##B(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int PE_start,         \
                          int logPE_stride, int PE_size, long *pSync);

#define SHMEMI_DECL(P)                                                                                                       \
    void P##_init(void);                                                                                                     \
    int P##_init_thread(int requested, int *provided);                                                                       \
    void P##_query_thread(int *provided);                                                                                    \
    void P##_finalize(void);                                                                                                 \
    void P##_global_exit(int status) SHMEMI_NORETURN;                                                                        \
    int P##_my_pe(void);                                                                                                     \
    int P##_n_pes(void);                                                                                                     \
    void P##_info_get_version(int *major, int *minor);                                                                       \
    void P##_info_get_name(char *name);                                                                                      \
    int P##_pe_accessible(int pe);                                                                                           \
    int P##_addr_accessible(const void *addr, int pe);                                                                       \
    void *P##_ptr(const void *dest, int pe);                                                                                 \
    void P##_pcontrol(int level, ...);                                                                                       \
                                                                                                                             \
    void *P##_malloc(size_t size);                                                                                           \
    void *P##_malloc_with_hints(size_t size, long hints);                                                                    \
    void *P##_calloc(size_t count, size_t size);                                                                             \
    void *P##_align(size_t alignment, size_t size);                                                                          \
    void *P##_realloc(void *ptr, size_t size);                                                                               \
    void P##_free(void *ptr);                                                                                                \
                                                                                                                             \
    int P##_team_my_pe(shmem_team_t team);                                                                                   \
    int P##_team_n_pes(shmem_team_t team);                                                                                   \
    int P##_team_get_config(shmem_team_t team, long config_mask, shmem_team_config_t *config);                               \
    int P##_team_translate_pe(shmem_team_t src_team, int src_pe, shmem_team_t dest_team);                                    \
    int P##_team_split_strided(shmem_team_t parent_team, int start, int stride, int size, const shmem_team_config_t *config, \
                               long config_mask, shmem_team_t *new_team);                                                    \
    int P##_team_split_2d(shmem_team_t parent_team, int xrange, const shmem_team_config_t *xaxis_config, long xaxis_mask,    \
                          shmem_team_t *xaxis_team, const shmem_team_config_t *yaxis_config, long yaxis_mask,                \
                          shmem_team_t *yaxis_team);                                                                         \
    void P##_team_destroy(shmem_team_t team);                                                                                \
    int P##_team_sync(shmem_team_t team);                                                                                    \
                                                                                                                             \
    int P##_ctx_create(long options, shmem_ctx_t *ctx);                                                                      \
    int P##_team_create_ctx(shmem_team_t team, long options, shmem_ctx_t *ctx);                                              \
    void P##_ctx_destroy(shmem_ctx_t ctx);                                                                                   \
    int P##_ctx_get_team(shmem_ctx_t ctx, shmem_team_t *team);                                                               \
                                                                                                                             \
    SHMEMI_BYTES_DECL(P##_putmem, P##_getmem)                                                                                \
    SHMEMI_CTX_BYTES_DECL(P##_ctx_putmem, P##_ctx_getmem)                                                                    \
    SHMEMI_SIZED_DECL(P, 8)                                                                                                  \
    SHMEMI_SIZED_DECL(P, 16)                                                                                                 \
    SHMEMI_SIZED_DECL(P, 32)                                                                                                 \
    SHMEMI_SIZED_DECL(P, 64)                                                                                                 \
    SHMEMI_SIZED_DECL(P, 128)                                                                                                \
    uint64_t P##_signal_fetch(const uint64_t *sig_addr);                                                                     \
    uint64_t P##_signal_wait_until(uint64_t *sig_addr, int cmp, uint64_t cmp_value);                                         \
                                                                                                                             \
    void P##_fence(void);                                                                                                    \
    void P##_ctx_fence(shmem_ctx_t ctx);                                                                                     \
    void P##_quiet(void);                                                                                                    \
    void P##_ctx_quiet(shmem_ctx_t ctx);                                                                                     \
    void P##_barrier_all(void);                                                                                              \
    void P##_sync_all(void);                                                                                                 \
    void P##_barrier(int PE_start, int logPE_stride, int PE_size, long *pSync);                                              \
    void P##_sync(int PE_start, int logPE_stride, int PE_size, long *pSync);                                                 \
                                                                                                                             \
    int P##_broadcastmem(shmem_team_t team, void *dest, const void *source, size_t nelems, int PE_root);                     \
    int P##_collectmem(shmem_team_t team, void *dest, const void *source, size_t nelems);                                    \
    int P##_fcollectmem(shmem_team_t team, void *dest, const void *source, size_t nelems);                                   \
    int P##_alltoallmem(shmem_team_t team, void *dest, const void *source, size_t nelems);                                   \
    int P##_alltoallsmem(shmem_team_t team, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems);    \
    SHMEMI_SET_SIZED_DECL(P, 32)                                                                                             \
    SHMEMI_SET_SIZED_DECL(P, 64)                                                                                             \
                                                                                                                             \
    void P##_set_lock(volatile long *lock);                                                                                  \
    void P##_clear_lock(volatile long *lock);                                                                                \
    int P##_test_lock(volatile long *lock);                                                                                  \
                                                                                                                             \
    void P##_short_wait(volatile short *ivar, short cmp_value);                                                              \
    void P##_int_wait(volatile int *ivar, int cmp_value);                                                                    \
    void P##_long_wait(volatile long *ivar, long cmp_value);                                                                 \
    void P##_longlong_wait(volatile long long *ivar, long long cmp_value);                                                   \
    void P##_wait(volatile long *ivar, long cmp_value);                                                                      \
    void P##_wait_until(volatile long *ivar, int cmp, long cmp_value);                                                       \
    void P##_clear_cache_inv(void);                                                                                          \
    void P##_set_cache_inv(void);                                                                                            \
    void P##_clear_cache_line_inv(void *dest);                                                                               \
    void P##_set_cache_line_inv(void *dest);                                                                                 \
    void P##_udcflush(void);                                                                                                 \
    void P##_udcflush_line(void *dest);                                                                                      \
                                                                                                                             \
    SHMEMI_RMA_TYPES(SHMEMI_RMA_DECL, P)                                                                                     \
    SHMEMI_RMA_TYPES(SHMEMI_REDUCE_ARITH_DECL, P)                                                                            \
    SHMEMI_COMPLEX_TYPES(SHMEMI_REDUCE_ARITH_DECL, P)                                                                        \
    SHMEMI_REDUCE_BITWISE_TYPES(SHMEMI_REDUCE_BITWISE_DECL, P)                                                               \
    SHMEMI_SET_ORDER_TYPES(SHMEMI_SET_ARITH_DECL, P)                                                                         \
    SHMEMI_COMPLEX_TYPES(SHMEMI_SET_ARITH_DECL, P)                                                                           \
    SHMEMI_SET_ORDER_TYPES(SHMEMI_SET_ORDER_DECL, P)                                                                         \
    SHMEMI_SET_BITWISE_TYPES(SHMEMI_SET_BITWISE_DECL, P)                                                                     \
    SHMEMI_AMO_TYPES(SHMEMI_AMO_DECL, P)                                                                                     \
    SHMEMI_EXTENDED_TYPES(SHMEMI_EXTENDED_DECL, P)                                                                           \
    SHMEMI_BITWISE_TYPES(SHMEMI_BITWISE_DECL, P)                                                                             \
    SHMEMI_OLD_AMO_TYPES(SHMEMI_OLD_AMO_DECL, P)                                                                             \
    SHMEMI_OLD_EXTENDED_TYPES(SHMEMI_OLD_EXTENDED_DECL, P)                                                                   \
    SHMEMI_P2P_TYPES(SHMEMI_P2P_DECL, P)

#define SHMEMI_NORETURN __attribute__((noreturn))

#ifdef __cplusplus
extern "C" {
#endif

SHMEMI_DECL(shmem)
SHMEMI_DECL(pshmem)

/* Names from before the prefix. */
void start_pes(int npes);
int _my_pe(void);
int _num_pes(void);
void *shmalloc(size_t size);
void *shmemalign(size_t alignment, size_t size);
void *shrealloc(void *ptr, size_t size);
void shfree(void *ptr);
void pstart_pes(int npes);
int p_my_pe(void);
int p_num_pes(void);
void *pshmalloc(size_t size);
void *pshmemalign(size_t alignment, size_t size);
void *pshrealloc(void *ptr, size_t size);
void pshfree(void *ptr);

#ifdef __cplusplus
}
#endif

#if defined(__cplusplus)
#include "shmem_overloads.h"
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#include "shmem_generic.h"
#endif

#endif
