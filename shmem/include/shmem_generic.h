/* C11 generic selection for shmem.h: shmem_put(...) chooses shmem_int_put(...) by the type of its first pointer, or
 * shmem_ctx_int_put(...) when a context comes first. A type that the standard does not list fails to compile. */
#ifndef SHMEM_GENERIC_H
#define SHMEM_GENERIC_H

#define SHMEMI_FIRST(...) SHMEMI_FIRST_(__VA_ARGS__, 0, 0)
#define SHMEMI_FIRST_(a, ...) a
#define SHMEMI_SECOND(...) SHMEMI_SECOND_(__VA_ARGS__, 0, 0)
#define SHMEMI_SECOND_(a, b, ...) b

/* What is chosen when a context is followed by no type of the table: calling it is an error. */
struct shmemi_no_such_type {
    int unused;
};
static const struct shmemi_no_such_type shmemi_no_such_type __attribute__((unused)) = {0};

/* One association: the function for a pointer to the type. READ: also for a pointer to a constant; WAIT: also to a volatile. */
#define SHMEMI_CASE(OP, N, T) , T *: shmem_##N##_##OP
#define SHMEMI_CTX_CASE(OP, N, T) , T *: shmem_ctx_##N##_##OP
#define SHMEMI_READ_CASE(OP, N, T) , T *: shmem_##N##_##OP, const T *: shmem_##N##_##OP
#define SHMEMI_CTX_READ_CASE(OP, N, T) , T *: shmem_ctx_##N##_##OP, const T *: shmem_ctx_##N##_##OP
#define SHMEMI_WAIT_CASE(OP, N, T) , T *: shmem_##N##_##OP, volatile T *: shmem_##N##_##OP

#define SHMEMI_SELECT(TYPES, CASE, CTX_CASE, OP, ...)                                          \
    _Generic((SHMEMI_FIRST(__VA_ARGS__)),                                                      \
        shmem_ctx_t: _Generic((SHMEMI_SECOND(__VA_ARGS__)), default: shmemi_no_such_type       \
                              TYPES(CTX_CASE, OP))                                             \
        TYPES(CASE, OP))(__VA_ARGS__)
#define SHMEMI_WRITE(TYPES, OP, ...) SHMEMI_SELECT(TYPES, SHMEMI_CASE, SHMEMI_CTX_CASE, OP, __VA_ARGS__)
#define SHMEMI_READ(TYPES, OP, ...) SHMEMI_SELECT(TYPES, SHMEMI_READ_CASE, SHMEMI_CTX_READ_CASE, OP, __VA_ARGS__)
/* Chooses by the first argument only. */
#define SHMEMI_BY_FIRST(TYPES, CASE, OP, ...) \
    _Generic((SHMEMI_FIRST(__VA_ARGS__)), struct shmemi_no_such_type: 0 TYPES(CASE, OP))(__VA_ARGS__)
/* Chooses by the second argument: a team comes first. */
#define SHMEMI_OF_TEAM(TYPES, OP, ...) \
    _Generic((SHMEMI_SECOND(__VA_ARGS__)), struct shmemi_no_such_type: 0 TYPES(SHMEMI_CASE, OP))(__VA_ARGS__)

#define shmem_put(...) SHMEMI_WRITE(SHMEMI_RMA_GENERIC, put, __VA_ARGS__)
#define shmem_get(...) SHMEMI_WRITE(SHMEMI_RMA_GENERIC, get, __VA_ARGS__)
#define shmem_put_nbi(...) SHMEMI_WRITE(SHMEMI_RMA_GENERIC, put_nbi, __VA_ARGS__)
#define shmem_get_nbi(...) SHMEMI_WRITE(SHMEMI_RMA_GENERIC, get_nbi, __VA_ARGS__)
#define shmem_p(...) SHMEMI_WRITE(SHMEMI_RMA_GENERIC, p, __VA_ARGS__)
#define shmem_g(...) SHMEMI_READ(SHMEMI_RMA_GENERIC, g, __VA_ARGS__)
#define shmem_iput(...) SHMEMI_WRITE(SHMEMI_RMA_GENERIC, iput, __VA_ARGS__)
#define shmem_iget(...) SHMEMI_WRITE(SHMEMI_RMA_GENERIC, iget, __VA_ARGS__)
#define shmem_put_signal(...) SHMEMI_WRITE(SHMEMI_RMA_GENERIC, put_signal, __VA_ARGS__)
#define shmem_put_signal_nbi(...) SHMEMI_WRITE(SHMEMI_RMA_GENERIC, put_signal_nbi, __VA_ARGS__)

#define shmem_atomic_fetch(...) SHMEMI_READ(SHMEMI_EXTENDED_GENERIC, atomic_fetch, __VA_ARGS__)
#define shmem_atomic_set(...) SHMEMI_WRITE(SHMEMI_EXTENDED_GENERIC, atomic_set, __VA_ARGS__)
#define shmem_atomic_swap(...) SHMEMI_WRITE(SHMEMI_EXTENDED_GENERIC, atomic_swap, __VA_ARGS__)
#define shmem_atomic_compare_swap(...) SHMEMI_WRITE(SHMEMI_AMO_GENERIC, atomic_compare_swap, __VA_ARGS__)
#define shmem_atomic_fetch_inc(...) SHMEMI_WRITE(SHMEMI_AMO_GENERIC, atomic_fetch_inc, __VA_ARGS__)
#define shmem_atomic_inc(...) SHMEMI_WRITE(SHMEMI_AMO_GENERIC, atomic_inc, __VA_ARGS__)
#define shmem_atomic_fetch_add(...) SHMEMI_WRITE(SHMEMI_AMO_GENERIC, atomic_fetch_add, __VA_ARGS__)
#define shmem_atomic_add(...) SHMEMI_WRITE(SHMEMI_AMO_GENERIC, atomic_add, __VA_ARGS__)
#define shmem_atomic_fetch_and(...) SHMEMI_WRITE(SHMEMI_BITWISE_GENERIC, atomic_fetch_and, __VA_ARGS__)
#define shmem_atomic_and(...) SHMEMI_WRITE(SHMEMI_BITWISE_GENERIC, atomic_and, __VA_ARGS__)
#define shmem_atomic_fetch_or(...) SHMEMI_WRITE(SHMEMI_BITWISE_GENERIC, atomic_fetch_or, __VA_ARGS__)
#define shmem_atomic_or(...) SHMEMI_WRITE(SHMEMI_BITWISE_GENERIC, atomic_or, __VA_ARGS__)
#define shmem_atomic_fetch_xor(...) SHMEMI_WRITE(SHMEMI_BITWISE_GENERIC, atomic_fetch_xor, __VA_ARGS__)
#define shmem_atomic_xor(...) SHMEMI_WRITE(SHMEMI_BITWISE_GENERIC, atomic_xor, __VA_ARGS__)
#define shmem_atomic_fetch_nbi(...) SHMEMI_WRITE(SHMEMI_EXTENDED_GENERIC, atomic_fetch_nbi, __VA_ARGS__)
#define shmem_atomic_swap_nbi(...) SHMEMI_WRITE(SHMEMI_EXTENDED_GENERIC, atomic_swap_nbi, __VA_ARGS__)
#define shmem_atomic_compare_swap_nbi(...) SHMEMI_WRITE(SHMEMI_AMO_GENERIC, atomic_compare_swap_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_inc_nbi(...) SHMEMI_WRITE(SHMEMI_AMO_GENERIC, atomic_fetch_inc_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_add_nbi(...) SHMEMI_WRITE(SHMEMI_AMO_GENERIC, atomic_fetch_add_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_and_nbi(...) SHMEMI_WRITE(SHMEMI_BITWISE_GENERIC, atomic_fetch_and_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_or_nbi(...) SHMEMI_WRITE(SHMEMI_BITWISE_GENERIC, atomic_fetch_or_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_xor_nbi(...) SHMEMI_WRITE(SHMEMI_BITWISE_GENERIC, atomic_fetch_xor_nbi, __VA_ARGS__)

#define shmem_cswap(...) SHMEMI_BY_FIRST(SHMEMI_OLD_AMO_TYPES, SHMEMI_CASE, cswap, __VA_ARGS__)
#define shmem_finc(...) SHMEMI_BY_FIRST(SHMEMI_OLD_AMO_TYPES, SHMEMI_CASE, finc, __VA_ARGS__)
#define shmem_inc(...) SHMEMI_BY_FIRST(SHMEMI_OLD_AMO_TYPES, SHMEMI_CASE, inc, __VA_ARGS__)
#define shmem_fadd(...) SHMEMI_BY_FIRST(SHMEMI_OLD_AMO_TYPES, SHMEMI_CASE, fadd, __VA_ARGS__)
#define shmem_add(...) SHMEMI_BY_FIRST(SHMEMI_OLD_AMO_TYPES, SHMEMI_CASE, add, __VA_ARGS__)
#define shmem_fetch(...) SHMEMI_BY_FIRST(SHMEMI_OLD_EXTENDED_TYPES, SHMEMI_READ_CASE, fetch, __VA_ARGS__)
#define shmem_set(...) SHMEMI_BY_FIRST(SHMEMI_OLD_EXTENDED_TYPES, SHMEMI_CASE, set, __VA_ARGS__)
#define shmem_swap(...) SHMEMI_BY_FIRST(SHMEMI_OLD_EXTENDED_TYPES, SHMEMI_CASE, swap, __VA_ARGS__)

#define shmem_wait_until(...) SHMEMI_BY_FIRST(SHMEMI_P2P_GENERIC, SHMEMI_WAIT_CASE, wait_until, __VA_ARGS__)
#define shmem_wait_until_all(...) SHMEMI_BY_FIRST(SHMEMI_P2P_GENERIC, SHMEMI_WAIT_CASE, wait_until_all, __VA_ARGS__)
#define shmem_wait_until_any(...) SHMEMI_BY_FIRST(SHMEMI_P2P_GENERIC, SHMEMI_WAIT_CASE, wait_until_any, __VA_ARGS__)
#define shmem_wait_until_some(...) SHMEMI_BY_FIRST(SHMEMI_P2P_GENERIC, SHMEMI_WAIT_CASE, wait_until_some, __VA_ARGS__)
#define shmem_wait_until_all_vector(...) SHMEMI_BY_FIRST(SHMEMI_P2P_GENERIC, SHMEMI_WAIT_CASE, wait_until_all_vector, __VA_ARGS__)
#define shmem_wait_until_any_vector(...) SHMEMI_BY_FIRST(SHMEMI_P2P_GENERIC, SHMEMI_WAIT_CASE, wait_until_any_vector, __VA_ARGS__)
#define shmem_wait_until_some_vector(...) SHMEMI_BY_FIRST(SHMEMI_P2P_GENERIC, SHMEMI_WAIT_CASE, wait_until_some_vector, __VA_ARGS__)
#define shmem_test(...) SHMEMI_BY_FIRST(SHMEMI_P2P_GENERIC, SHMEMI_WAIT_CASE, test, __VA_ARGS__)
#define shmem_test_all(...) SHMEMI_BY_FIRST(SHMEMI_P2P_GENERIC, SHMEMI_WAIT_CASE, test_all, __VA_ARGS__)
#define shmem_test_any(...) SHMEMI_BY_FIRST(SHMEMI_P2P_GENERIC, SHMEMI_WAIT_CASE, test_any, __VA_ARGS__)
#define shmem_test_some(...) SHMEMI_BY_FIRST(SHMEMI_P2P_GENERIC, SHMEMI_WAIT_CASE, test_some, __VA_ARGS__)
#define shmem_test_all_vector(...) SHMEMI_BY_FIRST(SHMEMI_P2P_GENERIC, SHMEMI_WAIT_CASE, test_all_vector, __VA_ARGS__)
#define shmem_test_any_vector(...) SHMEMI_BY_FIRST(SHMEMI_P2P_GENERIC, SHMEMI_WAIT_CASE, test_any_vector, __VA_ARGS__)
#define shmem_test_some_vector(...) SHMEMI_BY_FIRST(SHMEMI_P2P_GENERIC, SHMEMI_WAIT_CASE, test_some_vector, __VA_ARGS__)

#define shmem_broadcast(...) SHMEMI_OF_TEAM(SHMEMI_RMA_GENERIC, broadcast, __VA_ARGS__)
#define shmem_collect(...) SHMEMI_OF_TEAM(SHMEMI_RMA_GENERIC, collect, __VA_ARGS__)
#define shmem_fcollect(...) SHMEMI_OF_TEAM(SHMEMI_RMA_GENERIC, fcollect, __VA_ARGS__)
#define shmem_alltoall(...) SHMEMI_OF_TEAM(SHMEMI_RMA_GENERIC, alltoall, __VA_ARGS__)
#define shmem_alltoalls(...) SHMEMI_OF_TEAM(SHMEMI_RMA_GENERIC, alltoalls, __VA_ARGS__)
#define shmem_and_reduce(...) SHMEMI_OF_TEAM(SHMEMI_REDUCE_BITWISE_GENERIC, and_reduce, __VA_ARGS__)
#define shmem_or_reduce(...) SHMEMI_OF_TEAM(SHMEMI_REDUCE_BITWISE_GENERIC, or_reduce, __VA_ARGS__)
#define shmem_xor_reduce(...) SHMEMI_OF_TEAM(SHMEMI_REDUCE_BITWISE_GENERIC, xor_reduce, __VA_ARGS__)
#define shmem_max_reduce(...) SHMEMI_OF_TEAM(SHMEMI_RMA_GENERIC, max_reduce, __VA_ARGS__)
#define shmem_min_reduce(...) SHMEMI_OF_TEAM(SHMEMI_RMA_GENERIC, min_reduce, __VA_ARGS__)
#define SHMEMI_ARITH_GENERIC(X, P) SHMEMI_RMA_GENERIC(X, P) SHMEMI_COMPLEX_TYPES(X, P)
#define shmem_sum_reduce(...) SHMEMI_OF_TEAM(SHMEMI_ARITH_GENERIC, sum_reduce, __VA_ARGS__)
#define shmem_prod_reduce(...) SHMEMI_OF_TEAM(SHMEMI_ARITH_GENERIC, prod_reduce, __VA_ARGS__)

/* A team, or the four numbers of an active set. */
#define shmem_sync(...) _Generic((SHMEMI_FIRST(__VA_ARGS__)), shmem_team_t: shmem_team_sync, default: shmem_sync)(__VA_ARGS__)

#endif
