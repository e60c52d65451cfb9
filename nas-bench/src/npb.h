/* What the kernels share: the command line, classes, memory, time, random numbers, and how they report.
 *
 *   usage: KERNEL CLASS          runs it; exit code 0 when verified, 1 when not, 2 for a problem that cannot be run
 *          KERNEL --bytes CLASS RANKS    prints the bytes of shared segment that each rank needs
 */
#ifndef NPB_H
#define NPB_H

#include "pgas.h"

#include <math.h>
#include <stdarg.h>
#include <time.h>

#ifndef RACE
#define RACE 0
#endif

/* A program and its present problem. */
static const char *npb_program;
static char npb_class;
static double npb_began;

/* What each kernel provides: the number of its class or -1, the bytes of segment a rank needs and its bytes of private memory, whether it
 * can use so many ranks (else what it could use), and the run itself, which returns whether the result is right. */
static int kernel_class(char name);
static size_t kernel_bytes(int class, int ranks);
static size_t kernel_private(int class, int ranks);
static const char *kernel_ranks(int class, int ranks);
static int kernel_run(int class);

static inline double npb_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* One line of rank 0. */
__attribute__((format(printf, 1, 2))) static inline void npb_say(const char *format, ...)
{
    va_list args;
    if (pgas_me() != 0)
        return;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    fflush(stdout);
}

/* The timed part begins and ends when all ranks are there. */
static inline void npb_start(void)
{
    pgas_barrier();
    npb_began = npb_seconds();
}

static inline void npb_stop(void)
{
    pgas_barrier();
    double took = npb_seconds() - npb_began;
    pgas_max_double(&took, 1);
    npb_say("time %.6f s\n", took);
}

/* Memory of the private kind. */
static inline void *npb_private(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p) {
        fprintf(stderr, "%s: %zu bytes of private memory cannot be had\n", npb_program, bytes);
        exit(2);
    }
    return p;
}

/* An array in the segment. The sum of all is what kernel_bytes says, so this does not fail. */
static inline void *npb_shared(size_t bytes)
{
    void *p = pgas_alloc(bytes);
    if (!p) {
        fprintf(stderr, "%s: %zu bytes of segment cannot be had\n", npb_program, bytes);
        exit(2);
    }
    return p;
}

/* Size of an array in the segment, with the alignment. */
static inline size_t npb_room(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

/* The linear congruential generator of the benchmarks: x' = a x mod 2^46. Only the low bits of the product are needed. */
#define NPB_A UINT64_C(1220703125)
#define NPB_MASK ((UINT64_C(1) << 46) - 1)

static inline double npb_random(uint64_t *x)
{
    *x = (*x * NPB_A) & NPB_MASK;
    return (double)*x * 0x1p-46;
}

/* The state after n more numbers. */
static inline uint64_t npb_skip(uint64_t x, uint64_t n)
{
    for (uint64_t a = NPB_A; n; n >>= 1, a = (a * a) & NPB_MASK)
        if (n & 1)
            x = (x * a) & NPB_MASK;
    return x;
}

static inline int npb_is_close(double got, double expected, double epsilon)
{
    double error = fabs((got - expected) / expected);
    /* Not a number is not close. */
    return error <= epsilon;
}

static inline int npb_is_power_of_two(int n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

static inline int npb_is_among(const char *classes, char name)
{
    const char *at = name ? strchr(classes, name) : NULL;
    return at ? (int)(at - classes) : -1;
}

static inline double npb_available(void)
{
    double kilobytes = 0;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "r");
    if (!file)
        return INFINITY;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lf", &kilobytes) == 1)
            break;
    fclose(file);
    return kilobytes > 0 ? kilobytes * 1024 : INFINITY;
}

/* Ends in order, after rank 0 has said why. */
__attribute__((format(printf, 1, 2))) static inline int npb_refuse(const char *format, ...)
{
    va_list args;
    if (pgas_me() == 0) {
        va_start(args, format);
        fprintf(stderr, "%s: ", npb_program);
        vfprintf(stderr, format, args);
        fputc('\n', stderr);
        va_end(args);
    }
    pgas_finalize();
    return 2;
}

/* With what the layer itself allocates. */
static inline size_t npb_segment(int class, int ranks)
{
    return kernel_bytes(class, ranks) + npb_room((size_t)ranks * sizeof(long)) + 4096;
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    npb_program = slash ? slash + 1 : argv[0];
    const char *word = argc == 4 ? argv[2] : argc == 2 ? argv[1] : "";
    int class = word[0] && !word[1] ? kernel_class(word[0]) : -1;
    if (argc == 4 && strcmp(argv[1], "--bytes") == 0 && class >= 0 && atoi(argv[3]) > 0) {
        printf("%zu\n", npb_segment(class, atoi(argv[3])));
        return 0;
    }
    pgas_init();
    int n = pgas_n();
    if (argc != 2)
        return npb_refuse("usage: %s CLASS, one of S W A B C D", npb_program);
    if (class < 0)
        return npb_refuse("there is no class %s: S W A B C D are", word[0] ? word : argv[1]);
    npb_class = word[0];
    const char *usable = kernel_ranks(class, n);
    if (usable)
        return npb_refuse("class %c cannot use %d ranks, only %s", npb_class, n, usable);
    size_t bytes = npb_segment(class, n), all = bytes + kernel_private(class, n);
    int here = pgas_neighbours();
    /* Rank 0 decides: memory changes while others look. */
    int64_t available = (int64_t)fmin(npb_available(), 0x1p62);
    pgas_broadcast(&available, 1, 0);
    if ((double)all * here > (double)available)
        return npb_refuse("class %c needs %zu bytes of memory (%zu on each of %d ranks), only %lld are available", npb_class,
                          all * (size_t)here, all, here, (long long)available);
    if (!pgas_segment(bytes))
        return npb_refuse("class %c needs %zu bytes of shared segment on each rank: see %s", npb_class, bytes,
                          PGAS_SEGMENT_HINT);
    npb_say("%s class %c, %d ranks, %s\n", npb_program, npb_class, n, PGAS_NAME);
    int right = kernel_run(class);
    npb_say("verification %s\n", right ? "successful" : "FAILED");
    pgas_finalize();
    return right ? 0 : 1;
}

#endif
