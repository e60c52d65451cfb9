/* MG: V-cycles of a multigrid solver for a Poisson problem on a periodic cube.
 *
 * Ranks have slabs of planes. A level that has at least two planes for each rank is distributed, with a ghost plane on either side that the
 * neighbours put; the few coarser ones are small, and every rank does them all for itself, after everybody has put its planes into
 * everybody's copy.
 *
 * Grids are [plane][row][point] with one ghost on every side. Point j of a level lies on point 2j of the next finer one.
 *
 * One barrier after the puts is enough: between the last reading of a ghost plane and the next put to it lies the exchange of another array.
 */
#include "npb.h"

enum { MAX_LEVELS = 10, CHARGES = 10 };
#define SEED UINT64_C(314159265)
#define EPSILON 1e-8

/* RACE 1: on the way down, the barrier between a level and the next coarser one is missing. */
#define MISSING_BARRIER 1

static const struct {
    int log_size, iterations;
    double smoother[3], norm;
} problem[] = {
    {5, 4, {-3.0 / 8, 1.0 / 32, -1.0 / 64}, 5.307707005734e-05},   {7, 4, {-3.0 / 8, 1.0 / 32, -1.0 / 64}, 6.467329375339e-06},
    {8, 4, {-3.0 / 8, 1.0 / 32, -1.0 / 64}, 2.433365309069e-06},   {8, 20, {-3.0 / 17, 1.0 / 33, -1.0 / 61}, 1.800564401355e-06},
    {9, 20, {-3.0 / 17, 1.0 / 33, -1.0 / 61}, 5.70673228574e-07},  {10, 50, {-3.0 / 17, 1.0 / 33, -1.0 / 61}, 1.58327506044e-10},
};

/* A level: points in each direction, planes here, and whether they are all here. */
struct level {
    int size, planes, whole;
    double *u, *r;
};

static int me, n, top;
static struct level levels[MAX_LEVELS + 1]; /* from 1 */
static double *v;                           /* right-hand side of the top level */
static const double *smoother;

/* Length of a row and of a plane, with ghosts. */
#define ROW(l) ((size_t)(l)->size + 2)
#define PLANE(l) (ROW(l) * ROW(l))
#define AT(l, i3, i2) ((size_t)(i3) * PLANE(l) + (size_t)(i2) * ROW(l))

static int kernel_class(char name)
{
    return npb_is_among("SWABCD", name);
}

static void shape(struct level *l, int log_size, int ranks)
{
    l->size = 1 << log_size;
    l->whole = l->size < 2 * ranks;
    l->planes = l->whole ? l->size : l->size / ranks;
}

static size_t grid_bytes(const struct level *l)
{
    return ((size_t)l->planes + 2) * PLANE(l) * sizeof(double);
}

static size_t kernel_bytes(int class, int ranks)
{
    size_t sum = 0;
    for (int k = 1; k <= problem[class].log_size; k++) {
        struct level l = {0};
        shape(&l, k, ranks);
        sum += 2 * npb_room(grid_bytes(&l));
        if (k == problem[class].log_size)
            sum += npb_room(grid_bytes(&l));
    }
    return sum;
}

static size_t kernel_private(int class, int ranks)
{
    (void)class;
    (void)ranks;
    return 0;
}

static const char *kernel_ranks(int class, int ranks)
{
    return npb_is_power_of_two(ranks) && 2 * ranks <= 1 << problem[class].log_size ? NULL
                                                                                   : "powers of two up to half the planes of the grid";
}

/* Ghosts inside the planes [from, to]: the cube is periodic. */
static void wrap_planes(const struct level *l, double *a, int from, int to)
{
    int s = l->size;
    for (int i3 = from; i3 <= to; i3++) {
        for (int i2 = 1; i2 <= s; i2++) {
            double *row = a + AT(l, i3, i2);
            row[0] = row[s];
            row[s + 1] = row[1];
        }
        memcpy(a + AT(l, i3, 0), a + AT(l, i3, s), ROW(l) * sizeof *a);
        memcpy(a + AT(l, i3, s + 1), a + AT(l, i3, 1), ROW(l) * sizeof *a);
    }
}

/* Puts the outermost planes into the neighbours' ghosts. It is over after a barrier. */
static void send_planes(const struct level *l, double *a)
{
    int below = (me + n - 1) % n, above = (me + 1) % n;
    pgas_put_nb(a + AT(l, l->planes + 1, 0), a + AT(l, 1, 0), PLANE(l), below); /* race[1]: a, b */
    pgas_put_nb(a + AT(l, 0, 0), a + AT(l, l->planes, 0), PLANE(l), above);
}

/* Makes the ghosts right. */
static void exchange(const struct level *l, double *a)
{
    wrap_planes(l, a, 1, l->planes);
    if (l->whole) {
        memcpy(a, a + AT(l, l->planes, 0), PLANE(l) * sizeof *a);
        memcpy(a + AT(l, l->planes + 1, 0), a + AT(l, 1, 0), PLANE(l) * sizeof *a);
    } else {
        send_planes(l, a);
        pgas_barrier();
    }
}

/* r = v - A u, with the weights -8/3 at the point, 0 at its faces, 1/6 at edges, 1/12 at corners. */
static void residual(const struct level *l, const double *u, const double *right, double *r)
{
    int s = l->size;
    double faces[s + 2], corners[s + 2];
    for (int i3 = 1; i3 <= l->planes; i3++)
        for (int i2 = 1; i2 <= s; i2++) {
            const double *restrict c = u + AT(l, i3, i2), *restrict fa = u + AT(l, i3, i2 - 1), *restrict fb = u + AT(l, i3, i2 + 1);
            const double *restrict fc = u + AT(l, i3 - 1, i2), *restrict fd = u + AT(l, i3 + 1, i2);
            const double *restrict ea = u + AT(l, i3 - 1, i2 - 1), *restrict eb = u + AT(l, i3 - 1, i2 + 1);
            const double *restrict ec = u + AT(l, i3 + 1, i2 - 1), *restrict ed = u + AT(l, i3 + 1, i2 + 1);
            for (int i = 0; i < s + 2; i++) {
                faces[i] = fa[i] + fb[i] + fc[i] + fd[i];
                corners[i] = ea[i] + eb[i] + ec[i] + ed[i];
            }
            const double *b = right + AT(l, i3, i2);
            double *to = r + AT(l, i3, i2);
            for (int i = 1; i <= s; i++)
                to[i] = b[i] + 8.0 / 3 * c[i] - 1.0 / 6 * (corners[i] + faces[i - 1] + faces[i + 1]) -
                        1.0 / 12 * (corners[i - 1] + corners[i + 1]);
        }
    exchange(l, r);
}

/* u += S r. */
static void smooth(const struct level *l, const double *r, double *u)
{
    int s = l->size;
    double faces[s + 2], corners[s + 2], s0 = smoother[0], s1 = smoother[1], s2 = smoother[2];
    for (int i3 = 1; i3 <= l->planes; i3++)
        for (int i2 = 1; i2 <= s; i2++) {
            const double *restrict c = r + AT(l, i3, i2), *restrict fa = r + AT(l, i3, i2 - 1), *restrict fb = r + AT(l, i3, i2 + 1);
            const double *restrict fc = r + AT(l, i3 - 1, i2), *restrict fd = r + AT(l, i3 + 1, i2);
            const double *restrict ea = r + AT(l, i3 - 1, i2 - 1), *restrict eb = r + AT(l, i3 - 1, i2 + 1);
            const double *restrict ec = r + AT(l, i3 + 1, i2 - 1), *restrict ed = r + AT(l, i3 + 1, i2 + 1);
            for (int i = 0; i < s + 2; i++) {
                faces[i] = fa[i] + fb[i] + fc[i] + fd[i];
                corners[i] = ea[i] + eb[i] + ec[i] + ed[i];
            }
            double *to = u + AT(l, i3, i2);
            for (int i = 1; i <= s; i++)
                to[i] += s0 * c[i] + s1 * (c[i - 1] + c[i + 1] + faces[i]) + s2 * (corners[i] + faces[i - 1] + faces[i + 1]);
        }
    exchange(l, u);
}

/* The residual of a level on the next coarser one: weights 1/2, 1/4, 1/8, 1/16. */
static void restrict_residual(const struct level *fine, const struct level *coarse)
{
    int s = fine->size, own = coarse->whole && !fine->whole ? coarse->planes / n : coarse->planes;
    /* Where the coarse level is whole and the fine one is not, this rank's planes of it. */
    int shift = coarse->whole && !fine->whole ? me * own : 0;
    double faces[s + 2], corners[s + 2];
    for (int j3 = 1; j3 <= own; j3++)
        for (int j2 = 1; j2 <= coarse->size; j2++) {
            int i3 = 2 * j3, i2 = 2 * j2;
            const double *restrict c = fine->r + AT(fine, i3, i2), *restrict fa = fine->r + AT(fine, i3, i2 - 1);
            const double *restrict fb = fine->r + AT(fine, i3, i2 + 1), *restrict fc = fine->r + AT(fine, i3 - 1, i2);
            const double *restrict fd = fine->r + AT(fine, i3 + 1, i2), *restrict ea = fine->r + AT(fine, i3 - 1, i2 - 1);
            const double *restrict eb = fine->r + AT(fine, i3 - 1, i2 + 1), *restrict ec = fine->r + AT(fine, i3 + 1, i2 - 1);
            const double *restrict ed = fine->r + AT(fine, i3 + 1, i2 + 1);
            for (int i = 1; i < s + 2; i++) {
                faces[i] = fa[i] + fb[i] + fc[i] + fd[i];   /* race[1]: a */
                corners[i] = ea[i] + eb[i] + ec[i] + ed[i]; /* race[1]: b */
            }
            double *to = coarse->r + AT(coarse, j3 + shift, j2);
            for (int j = 1; j <= coarse->size; j++) {
                int i = 2 * j;
                to[j] = 1.0 / 2 * c[i] + 1.0 / 4 * (c[i - 1] + c[i + 1] + faces[i]) +
                        1.0 / 8 * (faces[i - 1] + faces[i + 1] + corners[i]) + 1.0 / 16 * (corners[i - 1] + corners[i + 1]);
            }
        }
    if (coarse->whole && !fine->whole) {
        double *planes = coarse->r + AT(coarse, shift + 1, 0);
        for (int step = 1; step < n; step++)
            pgas_put_nb(planes, planes, (size_t)own * PLANE(coarse), (me + step) % n);
        pgas_barrier();
        exchange(coarse, coarse->r);
#if RACE == MISSING_BARRIER
    } else if (!coarse->whole) {
        wrap_planes(coarse, coarse->r, 1, coarse->planes);
        send_planes(coarse, coarse->r);
        pgas_quiet();
#endif
    } else {
        exchange(coarse, coarse->r);
    }
}

/* Adds the coarse correction to the finer level, by trilinear interpolation, ghosts included. */
static void interpolate(const struct level *coarse, const struct level *fine)
{
    int s = coarse->size, shift = coarse->whole && !fine->whole ? me * (coarse->planes / n) : 0;
    double z1[s + 2], z2[s + 2], z3[s + 2];
    for (int j3 = 0; j3 <= fine->planes / 2; j3++)
        for (int j2 = 0; j2 <= s; j2++) {
            const double *restrict a = coarse->u + AT(coarse, j3 + shift, j2), *restrict b = coarse->u + AT(coarse, j3 + shift, j2 + 1);
            const double *restrict c = coarse->u + AT(coarse, j3 + shift + 1, j2);
            const double *restrict d = coarse->u + AT(coarse, j3 + shift + 1, j2 + 1);
            for (int j = 0; j < s + 2; j++) {
                z1[j] = b[j] + a[j];
                z2[j] = c[j] + a[j];
                z3[j] = d[j] + c[j] + z1[j];
            }
            double *restrict u = fine->u + AT(fine, 2 * j3, 2 * j2);
            for (int j = 0; j <= s; j++) {
                u[2 * j] += a[j];
                u[2 * j + 1] += 1.0 / 2 * (a[j + 1] + a[j]);
            }
            u = fine->u + AT(fine, 2 * j3, 2 * j2 + 1);
            for (int j = 0; j <= s; j++) {
                u[2 * j] += 1.0 / 2 * z1[j];
                u[2 * j + 1] += 1.0 / 4 * (z1[j] + z1[j + 1]);
            }
            u = fine->u + AT(fine, 2 * j3 + 1, 2 * j2);
            for (int j = 0; j <= s; j++) {
                u[2 * j] += 1.0 / 2 * z2[j];
                u[2 * j + 1] += 1.0 / 4 * (z2[j] + z2[j + 1]);
            }
            u = fine->u + AT(fine, 2 * j3 + 1, 2 * j2 + 1);
            for (int j = 0; j <= s; j++) {
                u[2 * j] += 1.0 / 4 * z3[j];
                u[2 * j + 1] += 1.0 / 8 * (z3[j] + z3[j + 1]);
            }
        }
}

static void zero(const struct level *l, double *a)
{
    memset(a, 0, grid_bytes(l));
}

static void v_cycle(void)
{
    for (int k = top; k > 1; k--)
        restrict_residual(&levels[k], &levels[k - 1]);
    zero(&levels[1], levels[1].u);
    smooth(&levels[1], levels[1].r, levels[1].u);
    for (int k = 2; k <= top; k++) {
        struct level *l = &levels[k];
        if (k < top)
            zero(l, l->u);
        interpolate(&levels[k - 1], l);
        residual(l, l->u, k < top ? l->r : v, l->r);
        smooth(l, l->r, l->u);
    }
}

/* An extreme of the random field: its value and where it is, counted over the whole cube. */
struct extreme {
    double value;
    int64_t at;
};

/* Keeps the ten largest, the smallest of them first. */
static void keep(struct extreme *ten, double value, int64_t at)
{
    int i = 0;
    for (; i + 1 < CHARGES && ten[i + 1].value < value; i++)
        ten[i] = ten[i + 1];
    ten[i] = (struct extreme){value, at};
}

static void charge(const struct level *l, int64_t at, double value)
{
    int64_t s = l->size, plane = at / (s * s) - (int64_t)me * l->planes;
    if (plane >= 0 && plane < l->planes)
        v[AT(l, plane + 1, at / s % s + 1) + (size_t)(at % s) + 1] = value;
}

/* Charges +1 at the ten largest places of a random field and -1 at the ten smallest. */
static void make_charges(void)
{
    const struct level *l = &levels[top];
    int64_t s = l->size, begin = me * (int64_t)l->planes * s * s, end = begin + l->planes * s * s;
    struct extreme most[2][CHARGES];
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < CHARGES; i++)
            most[side][i] = (struct extreme){-INFINITY, -1};
    uint64_t x = npb_skip(SEED, (uint64_t)begin);
    for (int64_t at = begin; at < end; at++) {
        double value = npb_random(&x);
        if (value > most[0][0].value)
            keep(most[0], value, at);
        if (-value > most[1][0].value)
            keep(most[1], -value, at);
    }
    zero(l, v);
    for (int side = 0; side < 2; side++)
        for (int rank = 0, left = CHARGES - 1; rank < CHARGES; rank++) {
            /* The largest that is left anywhere; places tell whose it was. */
            double best = left >= 0 ? most[side][left].value : -INFINITY, own = best;
            int64_t at = 0;
            pgas_max_double(&best, 1);
            if (own == best)
                at = most[side][left--].at;
            pgas_sum_int64(&at, 1);
            charge(l, at, side == 0 ? 1 : -1);
        }
    exchange(l, v);
}

static double norm_of_residual(void)
{
    const struct level *l = &levels[top];
    double sum = 0, s = l->size;
    for (int i3 = 1; i3 <= l->planes; i3++)
        for (int i2 = 1; i2 <= l->size; i2++) {
            const double *row = l->r + AT(l, i3, i2);
            for (int i = 1; i <= l->size; i++)
                sum += row[i] * row[i];
        }
    pgas_sum_double(&sum, 1);
    return sqrt(sum / (s * s * s));
}

static int kernel_run(int class)
{
    me = pgas_me();
    n = pgas_n();
    top = problem[class].log_size;
    smoother = problem[class].smoother;
    for (int k = top; k >= 1; k--) {
        struct level *l = &levels[k];
        shape(l, k, n);
        l->u = npb_shared(grid_bytes(l));
        l->r = npb_shared(grid_bytes(l));
        zero(l, l->u);
        zero(l, l->r);
    }
    struct level *l = &levels[top];
    v = npb_shared(grid_bytes(l));
    make_charges();
    /* Once untimed, so that pages and caches are there. */
    residual(l, l->u, v, l->r);
    v_cycle();
    residual(l, l->u, v, l->r);
    zero(l, l->u);
    npb_start();
    residual(l, l->u, v, l->r);
    for (int it = 1; it <= problem[class].iterations; it++) {
        v_cycle();
        residual(l, l->u, v, l->r);
    }
    double norm = norm_of_residual();
    npb_stop();
    npb_say("norm %.13e, expected %.13e\n", norm, problem[class].norm);
    return npb_is_close(norm, problem[class].norm, EPSILON);
}
