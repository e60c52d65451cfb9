/* One-sided operations over MPI-3 RMA. What each name means is said in shmem/pgas.h.
 *
 * One window over a segment of the same size on every rank; addresses of it are turned into displacements. It stays locked
 * for all ranks (lock_all) from beginning to end, and operations are completed by flushes: the passive target style.
 * Locks are exclusive locks of a second window. A lock may be taken as late as the first operation that needs it, so
 * each epoch begins with one that is waited for.
 */
#ifndef PGAS_H
#define PGAS_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PGAS_NAME "MPI"

static MPI_Win pgas_window, pgas_lock_window;
static char *pgas_base;
static size_t pgas_size, pgas_used;
static int64_t *pgas_lock_word;
static int pgas_rank, pgas_ranks;

#define pgas_me() pgas_rank
#define pgas_n() pgas_ranks

#define PGAS_TYPE(p)                                                                                                   \
    _Generic(*(p),                                                                                                     \
        double: MPI_DOUBLE,                                                                                            \
        int: MPI_INT,                                                                                                  \
        int64_t: MPI_INT64_T,                                                                                          \
        uint64_t: MPI_UINT64_T,                                                                                        \
        unsigned char: MPI_BYTE)
#define PGAS_AT(p) ((MPI_Aint)((const char *)(p)-pgas_base))

#define pgas_put_nb(dst, src, n, pe)                                                                                   \
    MPI_Put(src, (int)(n), PGAS_TYPE(dst), pe, PGAS_AT(dst), (int)(n), PGAS_TYPE(dst), pgas_window)
#define pgas_get_nb(dst, src, n, pe)                                                                                   \
    MPI_Get(dst, (int)(n), PGAS_TYPE(dst), pe, PGAS_AT(src), (int)(n), PGAS_TYPE(dst), pgas_window)
#define pgas_put(dst, src, n, pe) (pgas_put_nb(dst, src, n, pe), MPI_Win_flush_local(pe, pgas_window))
#define pgas_get(dst, src, n, pe) (pgas_get_nb(dst, src, n, pe), MPI_Win_flush_local(pe, pgas_window))
#define pgas_quiet() MPI_Win_flush_all(pgas_window)
#define pgas_barrier() (MPI_Win_flush_all(pgas_window), MPI_Barrier(MPI_COMM_WORLD))

#define PGAS_FETCH(word, value, op, pe)                                                                                \
    __extension__({                                                                                                    \
        int64_t pgas_value = (value), pgas_old;                                                                        \
        MPI_Fetch_and_op(&pgas_value, &pgas_old, MPI_INT64_T, pe, PGAS_AT(word), op, pgas_window);                     \
        MPI_Win_flush(pe, pgas_window);                                                                                \
        pgas_old;                                                                                                      \
    })
#define PGAS_UPDATE(word, value, op, pe)                                                                               \
    __extension__({                                                                                                    \
        int64_t pgas_value = (value);                                                                                  \
        MPI_Accumulate(&pgas_value, 1, MPI_INT64_T, pe, PGAS_AT(word), 1, MPI_INT64_T, op, pgas_window);               \
        MPI_Win_flush_local(pe, pgas_window);                                                                          \
    })
#define pgas_fetch_add(word, value, pe) PGAS_FETCH(word, value, MPI_SUM, pe)
#define pgas_add(word, value, pe) PGAS_UPDATE(word, value, MPI_SUM, pe)
#define pgas_read(word, pe) PGAS_FETCH(word, 0, MPI_NO_OP, pe)
#define pgas_xor(word, value, pe) PGAS_UPDATE(word, value, MPI_BXOR, pe)
#define pgas_cas(word, expected, value, pe)                                                                            \
    __extension__({                                                                                                    \
        int64_t pgas_value = (value), pgas_expected = (expected), pgas_old;                                            \
        MPI_Compare_and_swap(&pgas_value, &pgas_expected, &pgas_old, MPI_INT64_T, pe, PGAS_AT(word), pgas_window);     \
        MPI_Win_flush(pe, pgas_window);                                                                                \
        pgas_old;                                                                                                      \
    })

#define pgas_signal(flag, value, pe)                                                                                   \
    (MPI_Win_flush_all(pgas_window), PGAS_UPDATE(flag, value, MPI_REPLACE, pe), MPI_Win_flush(pe, pgas_window))
#define pgas_wait(flag, value)                                                                                         \
    do {                                                                                                               \
    } while (PGAS_FETCH(flag, 0, MPI_NO_OP, pgas_rank) != (value))

#define pgas_lock(pe)                                                                                                  \
    __extension__({                                                                                                    \
        int64_t pgas_taken;                                                                                            \
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, pe, 0, pgas_lock_window);                                                     \
        MPI_Get(&pgas_taken, 1, MPI_INT64_T, pe, 0, 1, MPI_INT64_T, pgas_lock_window);                                 \
        MPI_Win_flush(pe, pgas_lock_window);                                                                           \
    })
#define pgas_unlock(pe) (MPI_Win_flush_all(pgas_window), MPI_Win_unlock(pe, pgas_lock_window))

static inline int pgas_neighbours(void)
{
    MPI_Comm machine;
    int n;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &n);
    MPI_Comm_free(&machine);
    return n;
}

#define PGAS_SEGMENT_HINT "the memory that MPI_Win_allocate may use"

static inline void *pgas_alloc(size_t bytes)
{
    /* Cache lines of their own, as a symmetric heap gives. */
    size_t rounded = (bytes + 63) & ~(size_t)63;
    if (rounded > pgas_size - pgas_used)
        return NULL;
    pgas_used += rounded;
    return pgas_base + pgas_used - rounded;
}

static inline void pgas_init(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &pgas_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &pgas_ranks);
}

static inline int pgas_segment(size_t bytes)
{
    MPI_Info info;
    MPI_Info_create(&info);
    /* Each rank's part at an aligned address of its own. */
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    pgas_size = (bytes + 4095) & ~(size_t)4095;
    int error = MPI_Win_allocate((MPI_Aint)pgas_size, 1, info, MPI_COMM_WORLD, &pgas_base, &pgas_window);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (error != MPI_SUCCESS)
        return 0;
    MPI_Win_allocate(64, 1, info, MPI_COMM_WORLD, &pgas_lock_word, &pgas_lock_window);
    MPI_Info_free(&info);
    *pgas_lock_word = 0;
    MPI_Win_lock_all(0, pgas_window);
    MPI_Barrier(MPI_COMM_WORLD);
    return 1;
}

static inline void pgas_finalize(void)
{
    if (pgas_base) {
        MPI_Win_unlock_all(pgas_window);
        MPI_Win_free(&pgas_lock_window);
        MPI_Win_free(&pgas_window);
    }
    MPI_Finalize();
}

static inline void pgas_sum_double(double *x, size_t n)
{
    MPI_Allreduce(MPI_IN_PLACE, x, (int)n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static inline void pgas_max_double(double *x, size_t n)
{
    MPI_Allreduce(MPI_IN_PLACE, x, (int)n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static inline void pgas_sum_int64(int64_t *x, size_t n)
{
    MPI_Allreduce(MPI_IN_PLACE, x, (int)n, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}

static inline void pgas_broadcast(int64_t *x, size_t n, int root)
{
    MPI_Bcast(x, (int)n, MPI_INT64_T, root, MPI_COMM_WORLD);
}

#endif
