/* psearch: counts the nodes of an unbalanced tree, with work stealing.
 *
 * The trees are the binomial ones of the Unbalanced Tree Search benchmark: the root has `branches` children, every other node has `fan` of them with
 * probability q, else none. A node is a hash; its children's hashes follow from it, so that a node can be searched by anyone.
 *
 * Each rank has a stack of nodes in the segment. Its upper part is the owner's; chunks of the lower part are open to thieves, who
 * take from the bottom, under the stack's lock. How many nodes are open is looked up without the lock, by remote atomics.
 * A rank without work counts itself idle at rank 0, and gets active again before it steals: when all are idle, no work is left.
 */
#include "npb.h"

#include "sha1.h"

#include <time.h>

enum { CHUNK = 16, LOG_STACK = 18 };
#define STACK (INT64_C(1) << LOG_STACK)

/* RACE 1: the counter of open nodes is an ordinary variable, and thieves look at it without the lock. */
#define PLAIN_COUNTER 1

static const struct {
    uint32_t seed;
    int branches, fan;
    double q;
    int64_t nodes, leaves, depth;
} problem[] = {
    {4, 200, 8, 0.124875, 18009, 15782, 71},
    {3, 200, 8, 0.124875, 68257, 59749, 208},
    {42, 2000, 8, 0.124875, 4112897, 3599034, 1572},
    {7, 2000, 5, 0.200014, 111345631, 89076904, 17844},
    {316, 2000, 2, 0.499995, 2793220501, 1396611250, 99049},
    {559, 2000, 2, 0.4999999995, 157063495159, 78531748579, 10572459},
};

struct node {
    uint32_t hash[5];
    int32_t depth;
};

static int me, n, class_now;
/* In the segment. `bottom` is guarded by the stack's lock; `open_nodes` is changed under the lock and read by anyone; `idle` counts at rank 0. */
static struct node *stack;
static int64_t *bottom, *open_nodes, *idle;
/* Private: where the open part ends, where the stack ends, and a bottom that it is known to have reached. */
static int64_t local, top, known_bottom;
static int64_t nodes, leaves, deepest, steals;

static int kernel_class(char name)
{
    return npb_is_among("SWABCD", name);
}

static size_t kernel_bytes(int class, int ranks)
{
    (void)class;
    (void)ranks;
    return npb_room((size_t)STACK * sizeof(struct node)) + 3 * npb_room(sizeof(int64_t));
}

static size_t kernel_private(int class, int ranks)
{
    (void)class;
    (void)ranks;
    return 0;
}

static const char *kernel_ranks(int class, int ranks)
{
    (void)class;
    return ranks > 0 ? NULL : "one or more";
}

static struct node *slot(int64_t at)
{
    return &stack[at & (STACK - 1)];
}

/* The own counter, under the own lock. */
static void change_open(int64_t by)
{
#if RACE == PLAIN_COUNTER
    *open_nodes += by; /* race[1]: a */
#else
    pgas_add(open_nodes, by, me);
#endif
}

static int64_t own_open(void)
{
#if RACE == PLAIN_COUNTER
    return *open_nodes;
#else
    return pgas_read(open_nodes, me);
#endif
}

/* Opens the lowest chunk of the own part to thieves. */
static void release(void)
{
    pgas_lock(me);
    local += CHUNK;
    change_open(CHUNK);
    known_bottom = *bottom;
    pgas_unlock(me);
}

/* Takes a chunk of the open part back; 0 when there is none. */
static int acquire(void)
{
    pgas_lock(me);
    int any = own_open() >= CHUNK;
    if (any) {
        local -= CHUNK;
        change_open(-CHUNK);
    }
    known_bottom = *bottom;
    pgas_unlock(me);
    return any;
}

/* Whether a rank seems to have open nodes. */
static int looks_rich(int victim)
{
#if RACE == PLAIN_COUNTER
    int64_t seen;
    pgas_get(&seen, open_nodes, 1, victim); /* race[1]: a */
    return seen >= CHUNK;
#else
    return pgas_read(open_nodes, victim) >= CHUNK;
#endif
}

/* Takes the lowest open chunk of another rank onto the own stack, which is empty; 0 when there is none. */
static int steal(int victim)
{
    int64_t seen, at;
    pgas_lock(victim);
#if RACE == PLAIN_COUNTER
    pgas_get(&seen, open_nodes, 1, victim);
#else
    seen = pgas_read(open_nodes, victim);
#endif
    int any = seen >= CHUNK;
    if (any) {
        pgas_get(&at, bottom, 1, victim);
        pgas_get((unsigned char *)slot(top), (unsigned char *)slot(at), CHUNK * sizeof(struct node), victim);
        at += CHUNK;
        pgas_put(bottom, &at, 1, victim);
#if RACE == PLAIN_COUNTER
        seen -= CHUNK;
        pgas_put(open_nodes, &seen, 1, victim);
#else
        pgas_add(open_nodes, -CHUNK, victim);
#endif
    }
    pgas_unlock(victim);
    if (any) {
        top += CHUNK;
        steals++;
    }
    return any;
}

static void push(const struct node *node)
{
    if (top - known_bottom >= STACK) {
        pgas_lock(me);
        known_bottom = *bottom;
        pgas_unlock(me);
        if (top - known_bottom >= STACK) {
            fprintf(stderr, "%s: more than %lld nodes on a stack\n", npb_program, (long long)STACK);
            exit(2);
        }
    }
    *slot(top++) = *node;
}

/* Children of a node: a hash of its own and their number. */
static void expand(const struct node *parent)
{
    /* A node's random number is in the last word of its hash. */
    double u = (double)(parent->hash[4] & 0x7fffffff) * 0x1p-31;
    int children = parent->depth == 0 ? problem[class_now].branches : u < problem[class_now].q ? problem[class_now].fan : 0;
    nodes++;
    leaves += children == 0;
    if (parent->depth > deepest)
        deepest = parent->depth;
    for (int i = 0; i < children; i++) {
        struct node child;
        uint32_t message[6];
        memcpy(message, parent->hash, sizeof parent->hash);
        message[5] = (uint32_t)i;
        sha1_of_words(message, 6, child.hash);
        child.depth = parent->depth + 1;
        push(&child);
        if (top - local >= 2 * CHUNK && n > 1)
            release();
    }
}

static void work(void)
{
    do {
        while (top > local) {
            struct node node = *slot(--top);
            expand(&node);
        }
    } while (n > 1 && acquire());
}

/* Finds work elsewhere; 0 when there is none anywhere. */
static int find_work(void)
{
    struct timespec nap = {0, 1000};
    pgas_add(idle, 1, 0);
    pgas_quiet();
    while (pgas_read(idle, 0) < n) {
        for (int step = 1; step < n; step++) {
            int victim = (me + step) % n;
            if (!looks_rich(victim))
                continue;
            pgas_add(idle, -1, 0);
            pgas_quiet();
            if (steal(victim))
                return 1;
            pgas_add(idle, 1, 0);
            pgas_quiet();
        }
        nanosleep(&nap, NULL);
        if (nap.tv_nsec < 1000000)
            nap.tv_nsec *= 2;
    }
    return 0;
}

static int kernel_run(int class)
{
    me = pgas_me();
    n = pgas_n();
    class_now = class;
    stack = npb_shared((size_t)STACK * sizeof *stack);
    bottom = npb_shared(sizeof *bottom);
    open_nodes = npb_shared(sizeof *open_nodes);
    idle = npb_shared(sizeof *idle);
    *bottom = *open_nodes = *idle = 0;
    npb_start();
    if (me == 0) {
        struct node root = {{0}, 0};
        uint32_t message[5] = {0};
        message[4] = problem[class].seed;
        sha1_of_words(message, 5, root.hash);
        push(&root);
    }
    do
        work();
    while (find_work());
    npb_stop();
    int64_t sums[3] = {nodes, leaves, steals};
    double depth = (double)deepest;
    pgas_sum_int64(sums, 3);
    pgas_max_double(&depth, 1);
    npb_say("%lld nodes, %lld leaves, depth %.0f, %lld steals\n", (long long)sums[0], (long long)sums[1], depth, (long long)sums[2]);
    return sums[0] == problem[class].nodes && sums[1] == problem[class].leaves && (int64_t)depth == problem[class].depth;
}
