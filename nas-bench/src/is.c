/* IS, integer sort: ranks small integers ten times over.
 *
 * Keys are bucketed by their high bits; the buckets are dealt out to the ranks in order, so that each has about as many keys; every
 * rank puts its keys straight into place at the rank that has their bucket, and counts what it got.
 */
#include "npb.h"

#include <sched.h>

enum { ITERATIONS = 10, TESTS = 5 };
#define SEED UINT64_C(314159265)

/* RACE 1: the signal between neighbours in the last check is made by hand: a flag that is put and polled with plain loads. */
#define HAND_MADE_SIGNAL 1

static const struct {
    int log_keys, log_max, log_buckets;
    int64_t index[TESTS], rank[TESTS];
    /* Expected rank in an iteration: rank + up * (iteration + shift), by test. */
    int up[TESTS], shift[TESTS];
} problem[] = {
    {16, 11, 9, {48427, 17148, 23627, 62548, 4431}, {0, 18, 346, 64917, 65463}, {1, 1, 1, -1, -1}, {0}},
    {20, 16, 10, {357773, 934767, 875723, 898999, 404505}, {1249, 11698, 1039987, 1043896, 1048018}, {1, 1, -1, -1, -1}, {-2, -2, 0, 0, 0}},
    {23, 19, 10, {2112377, 662041, 5336171, 3642833, 4250760}, {104, 17523, 123928, 8288932, 8388264}, {1, 1, 1, -1, -1}, {-1, -1, -1, -1, -1}},
    {25, 21, 10, {41869, 812306, 5102857, 18232239, 26860214}, {33422937, 10244, 59149, 33135281, 99}, {-1, 1, 1, -1, 1}, {0}},
    {27, 23, 10, {44172927, 72999161, 74326391, 129606274, 21736814}, {61147, 882988, 266290, 133997595, 133525895}, {1, 1, 1, -1, -1}, {0}},
    {31, 27, 10, {1317351170, 995930646, 1157283250, 1503301535, 1453734525}, {1, 36538729, 1978098519, 2145192618, 2147425337}, {1, 1, -1, -1, -1}, {0}},
};

/* Of this run. */
static int me, n, shift_to_bucket, buckets;
static int64_t keys, mine, room, max_key;
static int *key, *sorted_out, *arrived; /* own keys, the same by bucket, what the own buckets got */
static int64_t *matrix;                 /* [from][to]: how many keys rank `from` sends to rank `to` */
static int64_t *left_max, *left_flag;   /* largest key of the lower neighbour, for the last check */
static int64_t *count;                  /* private: keys up to each value, of the own range */
static int64_t *local_size, *bucket_size, *bucket_at;
static int *first_bucket; /* of each rank; of rank n the end */
static int64_t got, below; /* keys here, keys of lower ranks */

static int kernel_class(char name)
{
    return npb_is_among("SWABCD", name);
}

/* Keys that a rank has to make room for: its share, and at most one bucket more than that. The fullest bucket has 8/3 of the mean,
 * the keys being sums of four uniform numbers; a tenth on top. */
static int64_t capacity(int class, int ranks)
{
    int64_t all = INT64_C(1) << problem[class].log_keys;
    return all / ranks + 3 * (all >> problem[class].log_buckets) + all / ranks / 10 + 1024;
}

static size_t kernel_bytes(int class, int ranks)
{
    size_t own = ((size_t)1 << problem[class].log_keys) / (size_t)ranks * sizeof(int);
    size_t r = (size_t)ranks;
    return 2 * npb_room(own) + npb_room((size_t)capacity(class, ranks) * sizeof(int)) + npb_room(r * r * sizeof(int64_t)) + 128;
}

static size_t kernel_private(int class, int ranks)
{
    return ((size_t)1 << problem[class].log_max) * sizeof *count + ((size_t)3 << problem[class].log_buckets) * sizeof *bucket_size +
           ((size_t)ranks + 1) * sizeof *first_bucket + (size_t)capacity(class, ranks) * sizeof(int);
}

static const char *kernel_ranks(int class, int ranks)
{
    return npb_is_power_of_two(ranks) && ranks <= 1 << problem[class].log_buckets ? NULL : "powers of two up to the number of buckets";
}

static void make_keys(void)
{
    uint64_t x = npb_skip(SEED, 4 * (uint64_t)mine * (uint64_t)me);
    double k = (double)max_key / 4;
    for (int64_t i = 0; i < mine; i++) {
        double sum = npb_random(&x);
        sum += npb_random(&x);
        sum += npb_random(&x);
        sum += npb_random(&x);
        key[i] = (int)(k * sum);
    }
}

/* Deals the buckets out: a rank's end where its share of all keys is reached. */
static void deal(void)
{
    int64_t sum = 0;
    int rank = 0;
    first_bucket[0] = 0;
    below = got = 0;
    for (int b = 0; b < buckets; b++) {
        if (rank < me)
            below += bucket_size[b];
        else if (rank == me)
            got += bucket_size[b];
        sum += bucket_size[b];
        /* Each rank after this one still needs a bucket. */
        if (rank < n - 1 && (sum >= (rank + 1) * (keys / n) || buckets - b - 1 == n - 1 - rank))
            first_bucket[++rank] = b + 1;
    }
    first_bucket[n] = buckets;
}

/* Sends every key to the rank that has its bucket. */
static void exchange(void)
{
    int64_t send[n];
    for (int to = 0; to < n; to++) {
        send[to] = 0;
        for (int b = first_bucket[to]; b < first_bucket[to + 1]; b++)
            send[to] += local_size[b];
    }
    for (int to = 0; to < n; to++)
        pgas_put(&matrix[me * n], send, n, to);
    pgas_barrier();
    int64_t at = 0;
    for (int to = 0; to < n; to++) {
        int64_t place = 0;
        for (int from = 0; from < me; from++)
            place += matrix[from * n + to];
        if (send[to] > 0)
            pgas_put_nb(&arrived[place], &sorted_out[at], send[to], to);
        at += send[to];
    }
    pgas_barrier();
}

/* One ranking of all keys; returns how many of the test keys this rank has and finds in place. */
static int64_t rank_keys(int class, int iteration)
{
    int test_key[TESTS];
    if (me == 0)
        key[iteration] = iteration;
    int64_t changed = iteration + ITERATIONS;
    if (me == changed / mine)
        key[changed % mine] = (int)(max_key - iteration);

    memset(local_size, 0, (size_t)buckets * sizeof *local_size);
    for (int64_t i = 0; i < mine; i++)
        local_size[key[i] >> shift_to_bucket]++;
    bucket_at[0] = 0;
    for (int b = 1; b < buckets; b++)
        bucket_at[b] = bucket_at[b - 1] + local_size[b - 1];
    for (int64_t i = 0; i < mine; i++)
        sorted_out[bucket_at[key[i] >> shift_to_bucket]++] = key[i];
    memcpy(bucket_size, local_size, (size_t)buckets * sizeof *bucket_size);
    pgas_sum_int64(bucket_size, (size_t)buckets);
    /* The sum has also seen to it that everyone's test keys are there. */
    for (int t = 0; t < TESTS; t++)
        pgas_get(&test_key[t], &key[problem[class].index[t] % mine], 1, (int)(problem[class].index[t] / mine));
    deal();
    if (got > room) {
        fprintf(stderr, "%s: %lld keys for a rank with room for %lld\n", npb_program, (long long)got, (long long)room);
        exit(2);
    }
    exchange();

    int64_t low = (int64_t)first_bucket[me] << shift_to_bucket, high = (int64_t)first_bucket[me + 1] << shift_to_bucket;
    memset(count, 0, (size_t)(high - low) * sizeof *count);
    for (int64_t i = 0; i < got; i++)
        count[arrived[i] - low]++;
    for (int64_t v = 1; v < high - low; v++)
        count[v] += count[v - 1];

    int64_t passed = 0;
    for (int t = 0; t < TESTS; t++) {
        int64_t k = test_key[t];
        if (k < low || k >= high)
            continue;
        int64_t rank = below + (k > low ? count[k - 1 - low] : 0);
        passed += rank == problem[class].rank[t] + problem[class].up[t] * (iteration + problem[class].shift[t]);
    }
    return passed;
}

/* Whether the ranking sorts: inside each rank, and across neighbours. */
static int64_t is_sorted(void)
{
    int64_t low = (int64_t)first_bucket[me] << shift_to_bucket, high = (int64_t)first_bucket[me + 1] << shift_to_bucket;
    int *sorted = npb_private((size_t)got * sizeof *sorted);
    for (int64_t i = got - 1; i >= 0; i--)
        sorted[--count[arrived[i] - low]] = arrived[i];
    int64_t wrong = got > 0 && (sorted[0] < low || sorted[got - 1] >= high);
    for (int64_t i = 1; i < got; i++)
        wrong += sorted[i - 1] > sorted[i];
    int64_t largest = got > 0 ? sorted[got - 1] : low;
    if (me + 1 < n) {
        pgas_put(left_max, &largest, 1, me + 1); /* race[1]: a */
#if RACE == HAND_MADE_SIGNAL
        int64_t one = 1;
        pgas_quiet();
        pgas_put(left_flag, &one, 1, me + 1); /* race[1]: b */
        pgas_quiet();
#else
        pgas_signal(left_flag, 1, me + 1);
#endif
    }
    if (me > 0) {
#if RACE == HAND_MADE_SIGNAL
        while (*(volatile int64_t *)left_flag == 0) /* race[1]: b */
            sched_yield();
#else
        pgas_wait(left_flag, 1);
#endif
        wrong += got > 0 && *left_max > sorted[0]; /* race[1]: a */
    }
    free(sorted);
    int64_t sums[2] = {wrong, got};
    pgas_sum_int64(sums, 2);
    return sums[0] == 0 && sums[1] == keys;
}

static int kernel_run(int class)
{
    me = pgas_me();
    n = pgas_n();
    keys = INT64_C(1) << problem[class].log_keys;
    max_key = INT64_C(1) << problem[class].log_max;
    buckets = 1 << problem[class].log_buckets;
    shift_to_bucket = problem[class].log_max - problem[class].log_buckets;
    mine = keys / n;
    room = capacity(class, n);
    key = npb_shared((size_t)mine * sizeof *key);
    sorted_out = npb_shared((size_t)mine * sizeof *sorted_out);
    arrived = npb_shared((size_t)room * sizeof *arrived);
    matrix = npb_shared((size_t)n * (size_t)n * sizeof *matrix);
    left_max = npb_shared(sizeof *left_max);
    left_flag = npb_shared(sizeof *left_flag);
    count = npb_private((size_t)max_key * sizeof *count);
    local_size = npb_private((size_t)buckets * sizeof *local_size);
    bucket_size = npb_private((size_t)buckets * sizeof *bucket_size);
    bucket_at = npb_private((size_t)buckets * sizeof *bucket_at);
    first_bucket = npb_private(((size_t)n + 1) * sizeof *first_bucket);
    *left_flag = 0;
    make_keys();
    rank_keys(class, 1);

    int64_t passed = 0;
    npb_start();
    for (int iteration = 1; iteration <= ITERATIONS; iteration++)
        passed += rank_keys(class, iteration);
    npb_stop();
    pgas_sum_int64(&passed, 1);
    passed += is_sorted();
    npb_say("%lld of %d tests passed\n", (long long)passed, TESTS * ITERATIONS + 1);
    return passed == TESTS * ITERATIONS + 1;
}
