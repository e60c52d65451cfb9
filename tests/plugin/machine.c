/* What C has that a compiler pass can get wrong: a virtual machine with computed jumps, an allocator with setjmp as its way out, variadic functions,
 * arrays of variable length, bit fields, unions, volatile, inline assembly, atomics, callbacks, recursion, switch, goto. It prints what it computes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef PLAIN
static void shmem_init(void) {}
static void shmem_finalize(void) {}
#else
#include <shmem.h>
#endif

static uint64_t seed = 88172645463325252u;
static uint64_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

/* ---- a pool that gives up by a long jump */
static char pool[1 << 20];
static size_t used;
static jmp_buf out_of_memory;

static void *take(size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    if (used + bytes > sizeof pool)
        longjmp(out_of_memory, 1);
    void *at = pool + used;
    used += bytes;
    return memset(at, 0, bytes);
}

/* ---- a B-tree of order 8 */
enum { ORDER = 8 };
struct node {
    unsigned count : 6, leaf : 1;
    uint64_t keys[2 * ORDER - 1];
    struct node *below[2 * ORDER];
};

static struct node *new_node(int leaf)
{
    struct node *n = take(sizeof *n);
    n->leaf = leaf;
    return n;
}

static void split(struct node *parent, unsigned at)
{
    struct node *full = parent->below[at], *right = new_node(full->leaf);
    right->count = ORDER - 1;
    memcpy(right->keys, full->keys + ORDER, (ORDER - 1) * sizeof *right->keys);
    if (!full->leaf)
        for (int i = 0; i < ORDER; i++)
            right->below[i] = full->below[i + ORDER];
    full->count = ORDER - 1;
    for (unsigned i = parent->count; i > at; i--) {
        parent->below[i + 1] = parent->below[i];
        parent->keys[i] = parent->keys[i - 1];
    }
    parent->below[at + 1] = right;
    parent->keys[at] = full->keys[ORDER - 1];
    parent->count++;
}

static void insert(struct node **root, uint64_t key)
{
    struct node *n = *root;
    if (n->count == 2 * ORDER - 1) {
        struct node *top = new_node(0);
        top->below[0] = n;
        *root = n = top;
        split(n, 0);
    }
    while (1) {
        unsigned i = n->count;
        if (n->leaf) {
            for (; i > 0 && key < n->keys[i - 1]; i--)
                n->keys[i] = n->keys[i - 1];
            n->keys[i] = key;
            n->count++;
            return;
        }
        while (i > 0 && key < n->keys[i - 1])
            i--;
        if (n->below[i]->count == 2 * ORDER - 1) {
            split(n, i);
            if (key > n->keys[i])
                i++;
        }
        n = n->below[i];
    }
}

static uint64_t digest(const struct node *n, unsigned depth)
{
    uint64_t sum = depth;
    for (unsigned i = 0; i < n->count; i++)
        sum = (n->leaf ? sum : sum * 31 + digest(n->below[i], depth + 1)) * 1099511628211u ^ n->keys[i];
    return n->leaf ? sum : sum * 31 + digest(n->below[n->count], depth + 1);
}

/* ---- a machine with computed jumps */
enum code { PUSH, ADD, MUL, DUP, SWAP, DEC, JNZ, DROP, HALT };
static int64_t execute(const int32_t *program)
{
    static void *const jump[] = { &&push, &&add, &&mul, &&dup, &&swap, &&dec, &&jnz, &&drop, &&halt };
    int64_t stack[64], *top = stack;
    const int32_t *at = program;
#define NEXT goto *jump[*at++]
    NEXT;
push: *++top = *at++; NEXT;
add: top[-1] += top[0]; top--; NEXT;
mul: top[-1] = (top[-1] * top[0]) % 1000003; top--; NEXT;
dup: top[1] = top[0]; top++; NEXT;
swap: { int64_t t = top[0]; top[0] = top[-1]; top[-1] = t; } NEXT;
dec: --*top; NEXT;
jnz: if (*top) at = program + *at; else at++; NEXT;
drop: top--; NEXT;
halt: return *top;
}

/* ---- the same with switch and goto */
static int64_t interpret(const int32_t *program)
{
    int64_t stack[64];
    int top = -1, at = 0;
again:
    switch ((enum code)program[at++]) {
    case PUSH: stack[++top] = program[at++]; goto again;
    case ADD: stack[top - 1] += stack[top]; top--; goto again;
    case MUL: stack[top - 1] = (stack[top - 1] * stack[top]) % 1000003; top--; goto again;
    case DUP: stack[top + 1] = stack[top]; top++; goto again;
    case SWAP: { int64_t t = stack[top]; stack[top] = stack[top - 1]; stack[top - 1] = t; goto again; }
    case DEC: stack[top]--; goto again;
    case JNZ: at = stack[top] ? program[at] : at + 1; goto again;
    case DROP: top--; goto again;
    case HALT: break;
    }
    return stack[top];
}

/* ---- variadic functions, with records passed by value */
struct pair { double a; long b; };
static double collect(const char *kinds, ...)
{
    va_list list;
    va_start(list, kinds);
    double sum = 0;
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'i': sum += va_arg(list, int); break;
        case 'd': sum += va_arg(list, double); break;
        case 's': sum += (double)strlen(va_arg(list, const char *)); break;
        case 'p': { struct pair p = va_arg(list, struct pair); sum += p.a * (double)p.b; } break;
        }
    va_end(list);
    return sum;
}

/* ---- sorting by a callback, with an array of variable length */
static int order(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(int n)
{
    double values[n], copy[n];
    for (int i = 0; i < n; i++)
        values[i] = (double)(next() % 100000) / 7;
    memcpy(copy, values, sizeof copy);
    qsort(copy, (size_t)n, sizeof *copy, order);
    double kept = 0;
    for (int i = 0; i < n; i += 3)
        kept += values[i] * copy[n - 1 - i];
    return copy[n / 2] + kept / 1e9;
}

/* ---- numbers in other clothes, volatile, assembly, atomics */
union number { double d; uint64_t bits; struct { uint32_t low, high; } half; };
static volatile int ticks;
static _Atomic long total;
static _Atomic double real_total;

static uint64_t odds(void)
{
    uint64_t sum = 0;
    for (int i = 1; i < 200; i++) {
        union number n = { .d = 1.0 / i };
        n.half.low ^= (uint32_t)i;
        uint64_t rotated = n.bits;
        __asm__("rorq $7, %0" : "+r"(rotated));
        sum += rotated;
        ticks = ticks + 1;
        atomic_fetch_add(&total, i);
        long seen = atomic_load_explicit(&total, memory_order_acquire);
        while (!atomic_compare_exchange_weak(&total, &seen, seen ^ 5))
            ;
        real_total = real_total + 0.5;
    }
    return sum;
}

static void relax(int n, double grid[n][n])
{
    for (int step = 0; step < 40; step++)
        for (int i = 1; i < n - 1; i++)
            for (int j = n - 2; j > 0; j--)
                grid[i][j] = 0.25 * (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]);
}

/* A row of one loop is where a row of the loop inside it begins; how long it is may change with every store. */
static long width;
static __attribute__((noinline)) void substitute(double *b, const double *l, long rows, long columns)
{
    for (long i = 0; i < rows; i++)
        for (long j = 0; j < columns; j++) {
            double sum = b[i * width + j];
            for (long p = 0; p < j; p++)
                sum -= b[i * width + p] * l[j * width + p];
            b[i * width + j] = sum / (2 + l[j * width + j]);
        }
}

/* What one loop ends with is what another one has counted. */
static int from[64], to[64];
static __attribute__((noinline)) void nested(int n, int c, int d)
{
    for (long i = 0; i < (long)n; i += 5) {
        int k = i;
        do {
            for (int *w = from, *end = w + k; w < end; w++)
                if (c < n)
                    for (int j = 13; j > 0; j -= 4)
                        to[d - j + 15] += from[30 - 2 * j] + 1;
        } while ((k += 4) < (int)i);
    }
}

static unsigned ackermann(unsigned m, unsigned n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

int main(void)
{
    shmem_init();
    struct node *volatile root = NULL;
    volatile unsigned inserted = 0;
    if (setjmp(out_of_memory) == 0) {
        struct node *top = new_node(1);
        root = top;
        while (1) {
            insert(&top, next() >> 20);
            root = top;
            inserted++;
        }
    }
    printf("tree %u %llu\n", inserted, (unsigned long long)digest(root, 0));
    static const int32_t power[] = { PUSH, 1, PUSH, 1000, SWAP, PUSH, 7, MUL, PUSH, 3, ADD, SWAP, DEC, JNZ, 4, DROP, HALT };
    printf("machine %lld %lld\n", (long long)execute(power), (long long)interpret(power));
    printf("variadic %.3f\n", collect("idsp", 3, 4.5, "seven..", (struct pair){ 1.5, 4 }));
    printf("median %.6f\n", median(501));
    printf("odds %llu %d %ld %.1f\n", (unsigned long long)odds(), ticks, (long)total, (double)real_total);
    double grid[24][24];
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++)
            grid[i][j] = i * j % 7;
    relax(24, grid);
    double sum = 0;
    for (int i = 0; i < 24 * 24; i++)
        sum += (&grid[0][0])[i] * (i % 5);
    printf("grid %.9f\n", sum);
    double below[24][24];
    memcpy(below, grid, sizeof below);
    width = 24 - (ticks < 0);
    substitute(&grid[0][0], &below[0][0], 20, 22);
    for (int i = 0; i < 24; i++)
        sum += grid[i][i];
    printf("substitute %.9f\n", sum);
    nested(32 - (ticks < 0), 5, 3);
    sum = 0;
    for (int i = 0; i < 64; i++)
        sum += to[i] * (i % 5 + 1);
    printf("nested %.1f\n", sum);
    printf("ackermann %u\n", ackermann(2, 40));
    shmem_finalize();
    return 0;
}
