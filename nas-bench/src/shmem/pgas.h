/* One-sided operations over OpenSHMEM: 1.5, or 1.4 (Open MPI's oshmem).
 *
 * The same names over MPI-3 RMA are in mpi/pgas.h; a kernel is built with one of the two directories in its include path.
 * Operations are macros so that the source line of an operation is the line of the kernel that asks for it, in debuggers,
 * profilers and race reports alike.
 *
 *   memory      pgas_alloc: collective, the same size on every rank; an address stands for that place on any rank
 *   put, get    n elements of the type dst points to; put returns when src is free, get when dst is there;
 *               the _nb forms promise nothing until pgas_quiet or pgas_barrier
 *   quiet       all of this rank's operations are done at their targets
 *   barrier     quiet, then everyone waits for everyone
 *   atomics     on int64_t; a word is updated with one kind of operation only (MPI allows no mixture)
 *   signal      after quiet: sets a flag; pgas_wait returns when the own flag has the value
 *   locks       one a rank (pgas_lock(pe)), not bound to any memory; release completes what was done inside
 *   reductions  in place, the result on every rank
 */
#ifndef PGAS_H
#define PGAS_H

#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PGAS_NAME "OpenSHMEM"

/* 1.4 has no wait on an int64_t; where it is a long, that one serves. */
_Static_assert(_Generic((int64_t)0, long: 1, default: 0), "int64_t is expected to be long");

/* Until 1.5 reductions work on active sets and want a work array. */
#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5
#define PGAS_TEAMS 1
#else
#define PGAS_TEAMS 0
#endif

/* Elements that one reduction takes. Longer ones go in pieces. */
#define PGAS_PIECE 1024

/* Two sets of buffers in turn: whoever has entered reduction k + 1 has read its result of k, so k + 2 may write there. */
static union {
    double d[PGAS_PIECE];
    int64_t i[PGAS_PIECE];
} pgas_source[2], pgas_result[2];
static int pgas_turn;
#if !PGAS_TEAMS
static union {
    double d[PGAS_PIECE / 2 + SHMEM_REDUCE_MIN_WRKDATA_SIZE];
    long i[PGAS_PIECE / 2 + SHMEM_REDUCE_MIN_WRKDATA_SIZE];
} pgas_work[2];
static long pgas_sync[2][SHMEM_REDUCE_SYNC_SIZE];
static long pgas_bcast_sync[2][SHMEM_BCAST_SYNC_SIZE];
#endif
static long *pgas_locks;

#define pgas_me() shmem_my_pe()
#define pgas_n() shmem_n_pes()

#define pgas_put(dst, src, n, pe) shmem_putmem(dst, src, (size_t)(n) * sizeof *(dst), pe)
#define pgas_get(dst, src, n, pe) shmem_getmem(dst, src, (size_t)(n) * sizeof *(dst), pe)
#define pgas_put_nb(dst, src, n, pe) shmem_putmem_nbi(dst, src, (size_t)(n) * sizeof *(dst), pe)
#define pgas_get_nb(dst, src, n, pe) shmem_getmem_nbi(dst, src, (size_t)(n) * sizeof *(dst), pe)
#define pgas_quiet() shmem_quiet()
#define pgas_barrier() shmem_barrier_all()

#define pgas_fetch_add(word, value, pe) shmem_long_atomic_fetch_add(word, value, pe)
#define pgas_add(word, value, pe) shmem_long_atomic_add(word, value, pe)
#define pgas_cas(word, expected, value, pe) shmem_long_atomic_compare_swap(word, expected, value, pe)
#define pgas_read(word, pe) shmem_long_atomic_fetch(word, pe)
#define pgas_xor(word, value, pe) shmem_uint64_atomic_xor((uint64_t *)(word), (uint64_t)(value), pe)

#define pgas_signal(flag, value, pe) (shmem_quiet(), shmem_long_atomic_set(flag, value, pe))
#define pgas_wait(flag, value) shmem_long_wait_until(flag, SHMEM_CMP_EQ, value)

#define pgas_lock(pe) shmem_set_lock(&pgas_locks[pe])
/* Since 1.5 releasing a lock completes the default context; the quiet says so to older ones. */
#define pgas_unlock(pe) (shmem_quiet(), shmem_clear_lock(&pgas_locks[pe]))

/* Ranks that share this machine's memory. */
static inline int pgas_neighbours(void)
{
#if PGAS_TEAMS
    return shmem_team_n_pes(SHMEM_TEAM_SHARED);
#else
    return shmem_n_pes();
#endif
}

/* Where the segment cannot be made by the program: how its user makes it. */
#define PGAS_SEGMENT_HINT "SHMEM_SYMMETRIC_SIZE, or thrille run --heap"

static inline void *pgas_alloc(size_t bytes)
{
    return shmem_malloc(bytes);
}

static inline void pgas_init(void)
{
    shmem_init();
#if !PGAS_TEAMS
    for (int t = 0; t < 2; t++) {
        for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
            pgas_sync[t][i] = SHMEM_SYNC_VALUE;
        for (int i = 0; i < SHMEM_BCAST_SYNC_SIZE; i++)
            pgas_bcast_sync[t][i] = SHMEM_SYNC_VALUE;
    }
#endif
}

/* After this rank has said how much it allocates in all; 0 when there is not as much. */
static inline int pgas_segment(size_t bytes)
{
    void *whole = shmem_malloc(bytes);
    if (!whole)
        return 0;
    shmem_free(whole);
    pgas_locks = shmem_calloc((size_t)shmem_n_pes(), sizeof *pgas_locks);
    return pgas_locks != NULL;
}

static inline void pgas_finalize(void)
{
    shmem_finalize();
}

#define PGAS_REDUCTION(NAME, TYPE, FIELD, TEAM_CALL, ALL_CALL)                                                         \
    static inline void NAME(TYPE *x, size_t n)                                                                         \
    {                                                                                                                  \
        for (size_t at = 0; at < n; at += PGAS_PIECE) {                                                                \
            size_t len = n - at < PGAS_PIECE ? n - at : PGAS_PIECE;                                                    \
            int t = pgas_turn ^= 1;                                                                                    \
            memcpy(pgas_source[t].FIELD, x + at, len * sizeof *x);                                                     \
            PGAS_REDUCE(FIELD, TEAM_CALL, ALL_CALL, t, len);                                                           \
            memcpy(x + at, pgas_result[t].FIELD, len * sizeof *x);                                                     \
        }                                                                                                              \
    }
#if PGAS_TEAMS
#define PGAS_REDUCE(FIELD, TEAM_CALL, ALL_CALL, t, len)                                                                \
    TEAM_CALL(SHMEM_TEAM_WORLD, pgas_result[t].FIELD, pgas_source[t].FIELD, len)
#else
#define PGAS_REDUCE(FIELD, TEAM_CALL, ALL_CALL, t, len)                                                                \
    ALL_CALL((void *)pgas_result[t].FIELD, (void *)pgas_source[t].FIELD, (int)(len), 0, 0, shmem_n_pes(),              \
             pgas_work[t].FIELD, pgas_sync[t])
#endif
PGAS_REDUCTION(pgas_sum_double, double, d, shmem_double_sum_reduce, shmem_double_sum_to_all)
PGAS_REDUCTION(pgas_max_double, double, d, shmem_double_max_reduce, shmem_double_max_to_all)
PGAS_REDUCTION(pgas_sum_int64, int64_t, i, shmem_long_sum_reduce, shmem_long_sum_to_all)

/* At most PGAS_PIECE words. */
static inline void pgas_broadcast(int64_t *x, size_t n, int root)
{
    int t = pgas_turn ^= 1;
    memcpy(pgas_source[t].i, x, n * sizeof *x);
#if PGAS_TEAMS
    shmem_long_broadcast(SHMEM_TEAM_WORLD, pgas_result[t].i, pgas_source[t].i, n, root);
    memcpy(x, pgas_result[t].i, n * sizeof *x);
#else
    shmem_broadcast64(pgas_result[t].i, pgas_source[t].i, n, root, 0, 0, shmem_n_pes(), pgas_bcast_sync[t]);
    if (shmem_my_pe() != root)
        memcpy(x, pgas_result[t].i, n * sizeof *x);
#endif
}

#endif
