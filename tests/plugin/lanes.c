/* Loops that OpenMP has the compiler vectorise, with what each lane has for itself, and others with many ways through them: control changes copies in the middle of all of them. */
#include <stdio.h>
#ifdef PLAIN
static void shmem_init(void) {}
static void shmem_finalize(void) {}
#else
#include <shmem.h>
#endif

enum { N = 4096, ROUNDS = 400 };

static float a[N], b[N];
static int numbers[N], sums[N];

__attribute__((noinline)) static float dot(const float *x, const float *y, int n)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

__attribute__((noinline)) static int last_of(const int *x, int n)
{
    int last = 0;
#pragma omp simd lastprivate(last)
    for (int i = 0; i < n; i++)
        last = x[i] * 2;
    return last;
}

__attribute__((noinline)) static int add_steps(int *x, int n)
{
    int step = 3;
#pragma omp simd linear(step : 2)
    for (int i = 0; i < n; i++) {
        x[i] += step;
        step += 2;
    }
    return step;
}

__attribute__((noinline)) static int prefix_sums(const int *x, int *y, int n)
{
    int sum = 0;
#pragma omp simd reduction(inscan, + : sum)
    for (int i = 0; i < n; i++) {
        sum += x[i];
#pragma omp scan inclusive(sum)
        y[i] = sum;
    }
    return sum;
}

__attribute__((noinline)) static int many_ways(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        switch (numbers[i] % 7) {
        case 0:
            sum += numbers[i];
            break;
        case 1:
            for (int j = 0; j < 5; j++)
                sum ^= numbers[(i + j) % N];
            break;
        case 3:
            continue;
        case 5:
            if (sum & 1)
                goto done;
            sum--;
            break;
        default:
            sum += 3;
        }
        numbers[i] += sum & 3;
    }
done:
    return sum;
}

int main(void)
{
    shmem_init();
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < N; i++) {
            a[i] = (float)((i * 7 + round) % 13);
            b[i] = (float)((i + round) % 5);
            numbers[i] = (i * 31 + round) % 101;
        }
        float product = dot(a, b, N - 1);
        int last = last_of(numbers, N - round % 90), step = add_steps(numbers, 1000);
        int sum = prefix_sums(numbers, sums, 3001), ways = many_ways(N);
        unsigned hash = 0;
        for (int i = 0; i < N; i++)
            hash = hash * 31 + (unsigned)(numbers[i] + sums[i]);
        if (round % 40 == 0)
            printf("%g %d %d %d %d %u\n", product, last, step, sum, ways, hash);
    }
    shmem_finalize();
    return 0;
}
