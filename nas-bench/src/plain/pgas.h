/* One rank, no library: memory is malloc's, put and get are memcpy, atomics are plain arithmetic.
 *
 * With this a kernel is a plain C program with the same loops. It is the yardstick for the other two: what they take more on one rank is what shared
 * memory and the library cost.
 */
#ifndef PGAS_H
#define PGAS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PGAS_NAME "plain C"

#define pgas_me() 0
#define pgas_n() 1

#define pgas_put(dst, src, n, pe) ((void)(pe), memmove(dst, src, (size_t)(n) * sizeof *(dst)))
#define pgas_get(dst, src, n, pe) pgas_put(dst, src, n, pe)
#define pgas_put_nb(dst, src, n, pe) pgas_put(dst, src, n, pe)
#define pgas_get_nb(dst, src, n, pe) pgas_put(dst, src, n, pe)
#define pgas_quiet() ((void)0)
#define pgas_barrier() ((void)0)

#define pgas_fetch_add(word, value, pe) ((void)(pe), (*(word) += (value)) - (value))
#define pgas_add(word, value, pe) ((void)(pe), (void)(*(word) += (value)))
#define pgas_read(word, pe) ((void)(pe), *(word))
#define pgas_xor(word, value, pe) ((void)(pe), (void)(*(word) ^= (value)))
#define pgas_signal(flag, value, pe) ((void)(pe), (void)(*(flag) = (value)))
#define pgas_wait(flag, value) ((void)(flag), (void)(value))
#define pgas_lock(pe) ((void)(pe))
#define pgas_unlock(pe) ((void)(pe))

#define PGAS_SEGMENT_HINT "the limits on memory"

static inline int pgas_neighbours(void)
{
    return 1;
}

static inline void *pgas_alloc(size_t bytes)
{
    return aligned_alloc(64, (bytes + 63) & ~(size_t)63);
}

static inline void pgas_init(void) {}
static inline void pgas_finalize(void) {}

static inline int pgas_segment(size_t bytes)
{
    return bytes > 0;
}

#define PGAS_ALONE(NAME, TYPE)                                                                                         \
    static inline void NAME(TYPE *x, size_t n)                                                                         \
    {                                                                                                                  \
        (void)x;                                                                                                       \
        (void)n;                                                                                                       \
    }
PGAS_ALONE(pgas_sum_double, double)
PGAS_ALONE(pgas_max_double, double)
PGAS_ALONE(pgas_sum_int64, int64_t)

static inline void pgas_broadcast(int64_t *x, size_t n, int root)
{
    (void)x;
    (void)n;
    (void)root;
}

#endif
