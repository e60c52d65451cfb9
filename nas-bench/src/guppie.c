/* guppie: random read-modify-write on a table that is spread over all ranks, as in hash tables and graph codes.
 *
 * Each rank applies its share of 4 updates per element, table[place] ^= value, twice over; the second time undoes the first, so that the
 * table must be as it was. Updates are remote atomics, or with -DLOCKS read, change and write under the lock of the owner.
 */
#include "npb.h"

enum { PER_ELEMENT = 4 };

/* RACE 1: updates read, change and write without a lock. */
#define UNLOCKED 1

static const int log_size[] = {12, 16, 22, 25, 28, 32};

static int me, n;
static int64_t *table;
static int log_table, log_mine;

static int kernel_class(char name)
{
    return npb_is_among("SWABCD", name);
}

static size_t kernel_bytes(int class, int ranks)
{
    return npb_room(((size_t)1 << log_size[class]) / (size_t)ranks * sizeof(int64_t));
}

static size_t kernel_private(int class, int ranks)
{
    (void)class;
    (void)ranks;
    return 0;
}

static const char *kernel_ranks(int class, int ranks)
{
    return npb_is_power_of_two(ranks) && (size_t)ranks <= (size_t)1 << log_size[class] ? NULL : "powers of two";
}

/* The i-th of a sequence of random 64-bit numbers, any of which can be had at once. */
static uint64_t random_word(uint64_t i)
{
    uint64_t z = i * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#if RACE == UNLOCKED
static void update(int owner, int64_t *at, int64_t value)
{
    int64_t old;
    pgas_get(&old, at, 1, owner); /* race[1]: a */
    old ^= value;
    pgas_put(at, &old, 1, owner); /* race[1]: a, b b */
}
#elif defined LOCKS
static void update(int owner, int64_t *at, int64_t value)
{
    pgas_lock(owner);
    if (owner == me) {
        *at ^= value;
    } else {
        int64_t old;
        pgas_get(&old, at, 1, owner);
        old ^= value;
        pgas_put(at, &old, 1, owner);
    }
    pgas_unlock(owner);
}
#else
static void update(int owner, int64_t *at, int64_t value)
{
    pgas_xor(at, value, owner);
}
#endif

static void update_all(void)
{
    uint64_t all = (uint64_t)PER_ELEMENT << log_table;
    uint64_t begin = all / (uint64_t)n * (uint64_t)me, end = begin + all / (uint64_t)n;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t value = random_word(i + 1), place = value >> (64 - log_table);
        update((int)(place >> log_mine), &table[place & ((UINT64_C(1) << log_mine) - 1)], (int64_t)value);
    }
    pgas_barrier();
}

static int kernel_run(int class)
{
    me = pgas_me();
    n = pgas_n();
    log_table = log_mine = log_size[class];
    for (int r = n; r > 1; r /= 2)
        log_mine--;
    int64_t mine = INT64_C(1) << log_mine, first = mine * me, wrong = 0, changed = 0;
    table = npb_shared((size_t)mine * sizeof *table);
    for (int64_t i = 0; i < mine; i++)
        table[i] = first + i;
    npb_start();
    update_all();
    for (int64_t i = 0; i < mine; i++)
        changed += table[i] != first + i;
    pgas_barrier();
    update_all();
    npb_stop();
    for (int64_t i = 0; i < mine; i++)
        wrong += table[i] != first + i;
    int64_t sums[2] = {changed, wrong};
    pgas_sum_int64(sums, 2);
    npb_say("%lld elements changed, %lld wrong at the end\n", (long long)sums[0], (long long)sums[1]);
    return sums[1] == 0 && sums[0] > (INT64_C(9) << log_table) / 10;
}
