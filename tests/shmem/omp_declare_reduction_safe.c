/* thrille: n=2 */
/* Copies begin as the original is, which others may have changed already: how a compiler does that is its own affair. */
#include <omp.h>
#include <shmem.h>

struct most {
    long value, at;
};
#pragma omp declare reduction(most : struct most : omp_out = omp_in.value > omp_out.value ? omp_in : omp_out) initializer(omp_priv = omp_orig)
#pragma omp declare reduction(least : long : omp_out = omp_in < omp_out ? omp_in : omp_out) initializer(omp_priv = omp_orig)

static void begin(long *own, const long *original)
{
    *own = *original;
}
#pragma omp declare reduction(largest : long : omp_out = omp_in > omp_out ? omp_in : omp_out) initializer(begin(&omp_priv, &omp_orig))

static struct most most = { -1, -1 };
static long least = 1000, largest;

int main(void)
{
    shmem_init();
    for (int round = 0; round < 10; round++) {
#pragma omp parallel for num_threads(4) reduction(most : most) reduction(least : least) reduction(largest : largest)
        for (int i = 0; i < 8; i++) {
            if (i * i > most.value)
                most = (struct most){ i * i, i };
            least = i < least ? i : least;
            largest = i > largest ? i : largest;
        }
    }
    int wrong = most.at != 7 || least != 0 || largest != 7;
    shmem_finalize();
    return wrong;
}
