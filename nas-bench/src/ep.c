/* EP, the embarrassingly parallel kernel: pairs of Gaussian deviates by the polar method, counted by square annuli.
 *
 * 2^m pairs come in batches of 2^16, each with its own place in the sequence of random numbers; ranks take every n-th batch.
 * Ranks meet only in the sums at the end, and all arrays are private: what a detector costs where it has nothing to find.
 */
#include "npb.h"

enum { LOG_BATCH = 16, BATCH = 1 << LOG_BATCH, ANNULI = 10 };
#define SEED UINT64_C(271828183)
#define EPSILON 1e-8

static const struct {
    int log_pairs;
    double sx, sy;
} problem[] = {
    {24, -3247.83465203474, -6958.407078382297},   {25, -2863.319731645753, -6320.053679109499},
    {28, -4295.875165629892, -15807.32573678431},  {30, 40338.15542441498, -26606.69192809235},
    {32, 47643.67927995374, -80840.72988043731},   {36, 198248.1200946593, -102059.6636361769},
};

static int kernel_class(char name)
{
    return npb_is_among("SWABCD", name);
}

static size_t kernel_bytes(int class, int ranks)
{
    (void)class;
    (void)ranks;
    return 0;
}

static size_t kernel_private(int class, int ranks)
{
    (void)class;
    (void)ranks;
    return 2 * BATCH * sizeof(double);
}

static const char *kernel_ranks(int class, int ranks)
{
    return ranks <= 1 << (problem[class].log_pairs - LOG_BATCH) ? NULL : "as many as there are batches of 65536 pairs";
}

/* The deviates of one batch, into sums and counts. */
static void batch(uint64_t number, double *u, double sum[2], double count[ANNULI])
{
    uint64_t x = npb_skip(SEED, number * 2 * BATCH);
    for (int i = 0; i < 2 * BATCH; i++)
        u[i] = 2 * npb_random(&x) - 1;
    for (int i = 0; i < BATCH; i++) {
        double a = u[2 * i], b = u[2 * i + 1], t = a * a + b * b;
        if (t > 1)
            continue;
        double scale = sqrt(-2 * log(t) / t);
        a *= scale;
        b *= scale;
        count[(int)fmax(fabs(a), fabs(b))]++;
        sum[0] += a;
        sum[1] += b;
    }
}

static int kernel_run(int class)
{
    uint64_t batches = UINT64_C(1) << (problem[class].log_pairs - LOG_BATCH);
    double *u = npb_private(2 * BATCH * sizeof *u);
    double sum[2] = {0, 0}, count[ANNULI] = {0}, pairs = 0;
    npb_start();
    for (uint64_t number = (uint64_t)pgas_me(); number < batches; number += (uint64_t)pgas_n())
        batch(number, u, sum, count);
    pgas_sum_double(sum, 2);
    pgas_sum_double(count, ANNULI);
    npb_stop();
    free(u);
    for (int i = 0; i < ANNULI; i++)
        pairs += count[i];
    npb_say("sums %.15e %.15e, %.0f deviates\n", sum[0], sum[1], pairs);
    return npb_is_close(sum[0], problem[class].sx, EPSILON) && npb_is_close(sum[1], problem[class].sy, EPSILON);
}
