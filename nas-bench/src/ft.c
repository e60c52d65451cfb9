/* FT: a diffusion equation on a periodic box, solved in the frequencies by three-dimensional Fourier transforms.
 *
 * In space, ranks have slabs of planes: [z here][y][x]. In frequency they have slabs of rows: [z][y here][x]. To get from one to the other
 * each rank puts, plane by plane, what is contiguous on both sides straight into place: nothing is packed.
 *
 * Lines are transformed a few at a time in scratch memory of this rank alone.
 */
#include "npb.h"

#include "ft_sums.h"

enum { LINES = 8, LONGEST = 2048, SAMPLES = 1024 };
#define SEED UINT64_C(314159265)
#define ALPHA 1e-6
#define EPSILON 1e-12

/* RACE 1: the work array is set to zero by its owner while the others already put their planes into it. */
#define MISSING_BARRIER 1

static const struct {
    int nx, ny, nz, iterations;
    const double (*sums)[2];
} problem[] = {
    {64, 64, 64, 6, sums_S},     {128, 128, 32, 6, sums_W},   {256, 256, 128, 6, sums_A},
    {512, 256, 256, 20, sums_B}, {512, 512, 512, 20, sums_C}, {2048, 1024, 1024, 25, sums_D},
};

struct wave {
    double re, im;
};

enum direction { FORWARD = 1, BACKWARD = -1 };

static int me, n, nx, ny, nz, rows, planes; /* of the box; rows and planes of this rank */
/* In the segment: frequencies; what is sent; where the others put; decay of each frequency in a step. */
static struct wave *field, *source, *target;
static double *decay;
/* Private: roots of unity and two blocks of lines. */
static struct wave *root, *block, *other;

static int kernel_class(char name)
{
    return npb_is_among("SWABCD", name);
}

static size_t kernel_bytes(int class, int ranks)
{
    size_t points = (size_t)problem[class].nx * (size_t)problem[class].ny * (size_t)problem[class].nz / (size_t)ranks;
    return 3 * npb_room(points * sizeof(struct wave)) + npb_room(points * sizeof(double));
}

static size_t kernel_private(int class, int ranks)
{
    (void)class;
    (void)ranks;
    return (1 + 2 * LINES) * LONGEST * sizeof(struct wave);
}

static const char *kernel_ranks(int class, int ranks)
{
    int fits = ranks <= problem[class].ny && ranks <= problem[class].nz;
    return npb_is_power_of_two(ranks) && fits ? NULL : "powers of two up to the number of planes";
}

/* Transforms LINES lines of `length` points that lie in `block` as [point][line]; the result is there as well.
 * Stockham's method, radix 4 and at last 2: each pass goes from one array to the other and sorts on its way. */
static void transform(int length, enum direction direction)
{
    struct wave *from = block, *to = other;
    double sign = direction;
    size_t s = LINES;
    int left = length;
    for (; left >= 4; left /= 4, s *= 4) {
        int quarter = left / 4, stride = LONGEST / left;
        for (int p = 0; p < quarter; p++) {
            struct wave w1 = root[p * stride], w2 = root[2 * p * stride], w3 = root[3 * p * stride];
            w1.im *= sign, w2.im *= sign, w3.im *= sign;
            const struct wave *restrict a = from + s * (size_t)p, *restrict b = a + s * (size_t)quarter;
            const struct wave *restrict c = b + s * (size_t)quarter, *restrict d = c + s * (size_t)quarter;
            struct wave *restrict y = to + s * 4 * (size_t)p;
            for (size_t q = 0; q < s; q++) {
                double sum_re = a[q].re + c[q].re, sum_im = a[q].im + c[q].im;
                double dif_re = a[q].re - c[q].re, dif_im = a[q].im - c[q].im;
                double bd_re = b[q].re + d[q].re, bd_im = b[q].im + d[q].im;
                /* (b - d) turned by a quarter. */
                double turn_re = -sign * (b[q].im - d[q].im), turn_im = sign * (b[q].re - d[q].re);
                double t_re = dif_re + turn_re, t_im = dif_im + turn_im;
                y[q].re = sum_re + bd_re;
                y[q].im = sum_im + bd_im;
                y[q + s].re = w1.re * t_re - w1.im * t_im;
                y[q + s].im = w1.re * t_im + w1.im * t_re;
                t_re = sum_re - bd_re, t_im = sum_im - bd_im;
                y[q + 2 * s].re = w2.re * t_re - w2.im * t_im;
                y[q + 2 * s].im = w2.re * t_im + w2.im * t_re;
                t_re = dif_re - turn_re, t_im = dif_im - turn_im;
                y[q + 3 * s].re = w3.re * t_re - w3.im * t_im;
                y[q + 3 * s].im = w3.re * t_im + w3.im * t_re;
            }
        }
        struct wave *swap = from;
        from = to;
        to = swap;
    }
    if (left == 2) {
        for (size_t q = 0; q < s; q++) {
            struct wave a = from[q], b = from[q + s];
            to[q] = (struct wave){a.re + b.re, a.im + b.im};
            to[q + s] = (struct wave){a.re - b.re, a.im - b.im};
        }
        from = to;
    }
    if (from != block) {
        other = block;
        block = from;
    }
}

/* Lines along x of the planes here: neighbouring rows together. */
static void transform_x(struct wave *a, enum direction direction)
{
    for (size_t line = 0; line < (size_t)planes * (size_t)ny; line += LINES) {
        struct wave *at = a + line * (size_t)nx;
        for (int l = 0; l < LINES; l++)
            for (int i = 0; i < nx; i++)
                block[i * LINES + l] = at[l * nx + i];
        transform(nx, direction);
        for (int l = 0; l < LINES; l++)
            for (int i = 0; i < nx; i++)
                at[l * nx + i] = block[i * LINES + l];
    }
}

/* Lines whose points are `stride` apart, from one array into another (or the same). `first` is the place of LINES neighbours. */
static void transform_strided(const struct wave *from, struct wave *to, int length, size_t stride, enum direction direction)
{
    for (int i = 0; i < length; i++)
        for (int l = 0; l < LINES; l++)
            block[i * LINES + l] = from[(size_t)i * stride + (size_t)l];
    transform(length, direction);
    for (int i = 0; i < length; i++)
        for (int l = 0; l < LINES; l++)
            to[(size_t)i * stride + (size_t)l] = block[i * LINES + l];
}

static void transform_y(struct wave *a, enum direction direction)
{
    for (int k = 0; k < planes; k++)
        for (int i = 0; i < nx; i += LINES) {
            struct wave *at = a + (size_t)k * (size_t)ny * (size_t)nx + i;
            transform_strided(at, at, ny, (size_t)nx, direction);
        }
}

static void transform_z(const struct wave *from, struct wave *to, enum direction direction)
{
    size_t plane = (size_t)rows * (size_t)nx;
    for (size_t at = 0; at < plane; at += LINES)
        transform_strided(from + at, to + at, nz, plane, direction);
}

/* From slabs of planes in everyone's `source` to slabs of rows in everyone's `target`. */
static void to_rows(void)
{
    size_t run = (size_t)rows * (size_t)nx;
    for (int step = 0; step < n; step++) {
        int to = (me + step) % n;
        for (int k = 0; k < planes; k++) {
            struct wave *at = target + (size_t)(me * planes + k) * run;
            const struct wave *from = source + (size_t)k * (size_t)ny * (size_t)nx + (size_t)to * run;
            pgas_put_nb((double *)at, (const double *)from, 2 * run, to); /* race[1]: a */
        }
    }
    pgas_barrier();
}

/* And back. */
static void to_planes(void)
{
    size_t run = (size_t)rows * (size_t)nx;
    for (int step = 0; step < n; step++) {
        int to = (me + step) % n;
        for (int k = 0; k < planes; k++) {
            struct wave *at = target + (size_t)k * (size_t)ny * (size_t)nx + (size_t)me * run;
            const struct wave *from = source + (size_t)(to * planes + k) * run;
            pgas_put_nb((double *)at, (const double *)from, 2 * run, to);
        }
    }
    pgas_barrier();
}

/* A random field, in slabs of planes. */
static void initial_field(void)
{
    size_t points = (size_t)planes * (size_t)ny * (size_t)nx;
    uint64_t x = npb_skip(SEED, 2 * (uint64_t)points * (uint64_t)me);
    for (size_t i = 0; i < points; i++) {
        source[i].re = npb_random(&x);
        source[i].im = npb_random(&x);
    }
}

/* Frequency of an index: the upper half are negative ones. */
static double square(int index, int length)
{
    int k = index < length / 2 ? index : index - length;
    return (double)k * k;
}

static void make_decay(void)
{
    const double pi = acos(-1);
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < rows; j++) {
            double *row = decay + ((size_t)k * (size_t)rows + (size_t)j) * (size_t)nx;
            double jk = square(k, nz) + square(me * rows + j, ny);
            for (int i = 0; i < nx; i++)
                row[i] = exp(-4 * ALPHA * pi * pi * (jk + square(i, nx)));
        }
}

/* One step in time, and a copy to transform. */
static void evolve(void)
{
    size_t points = (size_t)nz * (size_t)rows * (size_t)nx;
    for (size_t i = 0; i < points; i++) {
        field[i].re *= decay[i];
        field[i].im *= decay[i];
        source[i] = field[i];
    }
}

/* Of the field in `target`, in slabs of planes. */
static struct wave checksum(void)
{
    double sum[2] = {0, 0}, points = (double)nx * ny * nz;
    for (int j = 1; j <= SAMPLES; j++) {
        int k = 5 * j % nz - me * planes;
        if (k < 0 || k >= planes)
            continue;
        const struct wave *at = target + ((size_t)k * (size_t)ny + (size_t)(3 * j % ny)) * (size_t)nx + j % nx;
        sum[0] += at->re;
        sum[1] += at->im;
    }
    pgas_sum_double(sum, 2);
    return (struct wave){sum[0] / points, sum[1] / points};
}

static int solve(int class)
{
    int right = 1;
    initial_field();
    make_decay();
    transform_x(source, FORWARD);
    transform_y(source, FORWARD);
    to_rows();
    transform_z(target, field, FORWARD);
    for (int it = 0; it < problem[class].iterations; it++) {
        evolve();
        transform_z(source, source, BACKWARD);
        /* The last sum has seen to it that everyone is done with `target`; before the first one it is the barrier. */
        if (it == 0)
            pgas_barrier();
        to_planes();
        transform_y(target, BACKWARD);
        transform_x(target, BACKWARD);
        struct wave sum = checksum();
        npb_say("%3d %.12e %.12e\n", it + 1, sum.re, sum.im);
        right &= npb_is_close(sum.re, problem[class].sums[it][0], EPSILON);
        right &= npb_is_close(sum.im, problem[class].sums[it][1], EPSILON);
    }
    return right;
}

static int kernel_run(int class)
{
    me = pgas_me();
    n = pgas_n();
    nx = problem[class].nx;
    ny = problem[class].ny;
    nz = problem[class].nz;
    rows = ny / n;
    planes = nz / n;
    size_t points = (size_t)planes * (size_t)ny * (size_t)nx;
    field = npb_shared(points * sizeof *field);
    source = npb_shared(points * sizeof *source);
    target = npb_shared(points * sizeof *target);
    decay = npb_shared(points * sizeof *decay);
    root = npb_private(LONGEST * sizeof *root);
    block = npb_private(LINES * LONGEST * sizeof *block);
    other = npb_private(LINES * LONGEST * sizeof *other);
    for (int i = 0; i < LONGEST; i++)
        root[i] = (struct wave){cos(2 * acos(-1) * i / LONGEST), sin(2 * acos(-1) * i / LONGEST)};
    /* The owner touches its pages first, so that they are near it. */
    for (size_t i = 0; i < points; i++) {
        field[i] = (struct wave){0, 0};
        target[i] = (struct wave){0, 0}; /* race[1]: a */
    }
#if RACE == MISSING_BARRIER
    npb_began = npb_seconds();
#else
    npb_start();
#endif
    int right = solve(class);
    npb_stop();
    return right;
}
