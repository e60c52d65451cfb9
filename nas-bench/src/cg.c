/* CG: the smallest eigenvalue of a large sparse symmetric matrix, by inverse iteration with conjugate gradients.
 *
 * Ranks have blocks of rows. The search direction p is distributed like the rows; for the product each rank gets the blocks
 * of the others into its copy. Reductions are what separates one product's gets from the next change of p.
 *
 * The matrix is a sum of outer products of sparse random vectors with geometrically falling weights, plus rcond - shift on
 * the diagonal. The random vectors depend on one sequence, so every rank makes them all and keeps what falls into its rows.
 */
#include "npb.h"

enum { STEPS = 25 };
#define SEED UINT64_C(314159265)
#define RCOND 0.1
#define EPSILON 1e-10

/* RACE 1: p is initialised through a local pointer, and got by the other ranks without a barrier in between. */
#define MISSING_BARRIER 1

static const struct {
    int order, nonzeros, iterations;
    double shift, zeta;
} problem[] = {
    {1400, 7, 15, 10, 8.5971775078648},     {7000, 8, 15, 12, 10.362595087124},   {14000, 11, 15, 20, 17.130235054029},
    {75000, 13, 75, 60, 22.712745482631},   {150000, 15, 75, 110, 28.973605592845}, {1500000, 21, 100, 500, 52.514532105794},
};

/* Of this run: rows [first, first + rows) are here. */
static int me, n, order, first, rows;
/* In the segment. p is of full length: the own block is what others get, the rest is a copy of theirs. */
static double *value, *p, *q, *r, *x, *z;
static int *column;
static int64_t *row_start;

/* The matrix of a rank before equal places are summed up. */
struct vectors {
    int *count;       /* of vector i */
    int *place;       /* [i][k] */
    double *element;  /* [i][k] */
};

static int kernel_class(char name)
{
    return npb_is_among("SWABCD", name);
}

static int block_start(int length, int ranks, int rank)
{
    return (int)((int64_t)length * rank / ranks);
}

/* Elements of a rank, before equal places are summed up: rows differ by less than the square root of their number. */
static size_t most_elements(int class, int ranks)
{
    size_t each = (size_t)problem[class].nonzeros + 1;
    size_t mean = (size_t)problem[class].order * each * each / (size_t)ranks;
    return ranks == 1 ? mean : mean + mean / 8 + 1024 * each;
}

static size_t kernel_bytes(int class, int ranks)
{
    size_t length = (size_t)problem[class].order, block = length / (size_t)ranks + 1, most = most_elements(class, ranks);
    return npb_room(most * sizeof(double)) + npb_room(most * sizeof(int)) + npb_room((block + 1) * sizeof(int64_t)) +
           npb_room(length * sizeof(double)) + 4 * npb_room(block * sizeof(double));
}

static size_t kernel_private(int class, int ranks)
{
    size_t length = (size_t)problem[class].order, width = (size_t)problem[class].nonzeros + 1;
    return length * (sizeof(int) + width * (sizeof(int) + sizeof(double)) + sizeof(int64_t)) +
           (length / (size_t)ranks + 1) * sizeof(int64_t);
}

static const char *kernel_ranks(int class, int ranks)
{
    return ranks <= problem[class].order / 16 ? NULL : "up to a sixteenth of the matrix's rows";
}

/* Sparse random vectors: `nonzeros` places each, and 0.5 at place i. */
static void make_vectors(struct vectors *v, int nonzeros)
{
    uint64_t seed = SEED;
    int power = 1, width = nonzeros + 1;
    while (power < order)
        power *= 2;
    npb_random(&seed); /* the benchmark draws one number before */
    for (int i = 0; i < order; i++) {
        int *place = &v->place[(size_t)i * (size_t)width], k = 0;
        double *element = &v->element[(size_t)i * (size_t)width];
        while (k < nonzeros) {
            double e = npb_random(&seed);
            int at = (int)(power * npb_random(&seed)), known = 0;
            for (int j = 0; j < k && !known; j++)
                known = place[j] == at;
            if (at >= order || known)
                continue;
            place[k] = at;
            element[k++] = e;
        }
        int own = 0;
        while (own < k && place[own] != i)
            own++;
        place[own] = i;
        element[own] = 0.5;
        v->count[i] = own < k ? k : k + 1;
    }
}

/* By column: rows are short and their order costs time in every product. */
static void sort_row(int64_t begin, int64_t end)
{
    int64_t gap = 1;
    while (gap < (end - begin) / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int64_t i = begin + gap; i < end; i++) {
            int c = column[i];
            double v = value[i];
            int64_t j = i;
            for (; j >= begin + gap && column[j - gap] > c; j -= gap) {
                column[j] = column[j - gap];
                value[j] = value[j - gap];
            }
            column[j] = c;
            value[j] = v;
        }
}

static void make_matrix(int class)
{
    int nonzeros = problem[class].nonzeros, width = nonzeros + 1;
    size_t length = (size_t)order;
    struct vectors v = {npb_private(length * sizeof(int)), npb_private(length * (size_t)width * sizeof(int)),
                        npb_private(length * (size_t)width * sizeof(double))};
    int64_t *fill = npb_private((size_t)rows * sizeof *fill), *seen = npb_private(length * sizeof *seen);
    make_vectors(&v, nonzeros);

    for (int j = 0; j <= rows; j++)
        row_start[j] = 0;
    for (int i = 0; i < order; i++)
        for (int k = 0; k < v.count[i]; k++) {
            int j = v.place[(size_t)i * (size_t)width + (size_t)k] - first;
            if (j >= 0 && j < rows)
                row_start[j + 1] += v.count[i];
        }
    for (int j = 0; j < rows; j++) {
        row_start[j + 1] += row_start[j];
        fill[j] = row_start[j];
    }
    if ((size_t)row_start[rows] > most_elements(class, n)) {
        fprintf(stderr, "%s: %lld elements on a rank with room for %zu\n", npb_program, (long long)row_start[rows],
                most_elements(class, n));
        exit(2);
    }

    double size = 1, ratio = pow(RCOND, 1.0 / order);
    for (int i = 0; i < order; i++, size *= ratio) {
        const int *place = &v.place[(size_t)i * (size_t)width];
        const double *element = &v.element[(size_t)i * (size_t)width];
        for (int k = 0; k < v.count[i]; k++) {
            int j = place[k] - first;
            if (j < 0 || j >= rows)
                continue;
            for (int l = 0; l < v.count[i]; l++) {
                column[fill[j]] = place[l];
                value[fill[j]] = element[l] * (size * element[k]);
                if (place[l] == place[k] && place[k] == i)
                    value[fill[j]] += RCOND - problem[class].shift;
                fill[j]++;
            }
        }
    }

    /* Sum up equal places, row by row; what is left moves down. */
    int64_t to = 0;
    for (int c = 0; c < order; c++)
        seen[c] = -1;
    for (int j = 0; j < rows; j++) {
        int64_t begin = to, end = row_start[j + 1];
        for (int64_t from = row_start[j]; from < end; from++) {
            int c = column[from];
            if (seen[c] >= begin) {
                value[seen[c]] += value[from];
            } else {
                seen[c] = to;
                column[to] = c;
                value[to++] = value[from];
            }
        }
        row_start[j] = begin;
        sort_row(begin, to);
        /* Places in `seen` are of this row only as long as it is the last. */
    }
    row_start[rows] = to;
    free(v.count);
    free(v.place);
    free(v.element);
    free(fill);
    free(seen);
}

/* The other ranks' blocks of p. */
static void gather(void)
{
    for (int step = 1; step < n; step++) {
        int from = (me + step) % n, at = block_start(order, n, from), end = block_start(order, n, from + 1);
        pgas_get_nb(&p[at], &p[at], end - at, from); /* race[1]: a */
    }
    pgas_quiet();
}

static void product(double *restrict out, const double *restrict in)
{
    for (int j = 0; j < rows; j++) {
        double sum = 0;
        for (int64_t k = row_start[j]; k < row_start[j + 1]; k++)
            sum += value[k] * in[column[k]];
        out[j] = sum;
    }
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int j = 0; j < rows; j++)
        sum += a[j] * b[j];
    pgas_sum_double(&sum, 1);
    return sum;
}

/* Solves A z = x roughly; returns the norm of what is missing. */
static double solve(void)
{
    double *own = p + first, rho = 0, norm = 0;
    for (int j = 0; j < rows; j++) {
        z[j] = 0;
        r[j] = x[j];
        own[j] = x[j]; /* race[1]: a */
    }
#if RACE != MISSING_BARRIER
    pgas_barrier();
#endif
    gather();
    rho = dot(r, r);
    for (int step = 1; step <= STEPS; step++) {
        product(q, p);
        double alpha = rho / dot(own, q), before = rho;
        for (int j = 0; j < rows; j++) {
            z[j] += alpha * own[j];
            r[j] -= alpha * q[j];
        }
        if (step == STEPS)
            break;
        rho = dot(r, r);
        double beta = rho / before;
        for (int j = 0; j < rows; j++)
            own[j] = r[j] + beta * own[j];
        pgas_barrier();
        gather();
    }
    /* The direction is no longer needed: its array takes z for the last product. */
    for (int j = 0; j < rows; j++)
        own[j] = z[j];
    pgas_barrier();
    gather();
    product(q, p);
    for (int j = 0; j < rows; j++)
        norm += (x[j] - q[j]) * (x[j] - q[j]);
    pgas_sum_double(&norm, 1);
    return sqrt(norm);
}

static double iterate(int class, int iterations)
{
    double zeta = 0;
    for (int j = 0; j < rows; j++)
        x[j] = 1;
    for (int it = 1; it <= iterations; it++) {
        double norm = solve(), xz = dot(x, z), zz = dot(z, z);
        zeta = problem[class].shift + 1 / xz;
        for (int j = 0; j < rows; j++)
            x[j] = z[j] / sqrt(zz);
        npb_say("%3d %.13e %.13f\n", it, norm, zeta);
    }
    return zeta;
}

static int kernel_run(int class)
{
    me = pgas_me();
    n = pgas_n();
    order = problem[class].order;
    first = block_start(order, n, me);
    rows = block_start(order, n, me + 1) - first;
    size_t length = (size_t)order, block = length / (size_t)n + 1, most = most_elements(class, n);
    value = npb_shared(most * sizeof *value);
    column = npb_shared(most * sizeof *column);
    row_start = npb_shared((block + 1) * sizeof *row_start);
    p = npb_shared(length * sizeof *p);
    q = npb_shared(block * sizeof *q);
    r = npb_shared(block * sizeof *r);
    x = npb_shared(block * sizeof *x);
    z = npb_shared(block * sizeof *z);
    make_matrix(class);
    /* Once untimed, so that pages and caches are there. */
    iterate(class, 1);
    npb_start();
    double zeta = iterate(class, problem[class].iterations);
    npb_stop();
    npb_say("zeta %.13f, expected %.13f\n", zeta, problem[class].zeta);
    return npb_is_close(zeta, problem[class].zeta, EPSILON);
}
