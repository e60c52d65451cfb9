/* What C has that two copies of a function could get wrong: state that must be one, what a caller knows of a callee, what an entry must leave alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int counter = 3;
static _Thread_local int mine = 7;
static const char *const names[] = {"zero", "one", "two", "three"};
_Atomic int flag;

/* Statics of one name in several functions, constant and not. */
static __attribute__((noinline)) int first(int x)
{
    static int count, other = 4;
    count++;
    other += x;
    return count * 1000 + other;
}
static __attribute__((noinline)) int second(int x)
{
    static int count = 100;
    static const int table[] = {3, 1, 4, 1, 5, 9, 2, 6};
    count += 2;
    return count * table[x & 7];
}
static int unused_in_some(int x)
{
    static int count = 55;
    if (__builtin_constant_p(x))
        return 0;
    return count++ + x;
}

/* A table of jumps. */
__attribute__((noinline)) int jumps(int x)
{
    switch (x) {
    case 0: return counter;
    case 1: counter += 5; return 5;
    case 2: return 33;
    case 3: return mine++;
    case 4: return first(x);
    case 5: return second(x);
    case 6: return (int)strlen(names[2]);
    default: return -1;
    }
}

/* Leaves most registers alone, which a caller could rely on. */
static __attribute__((noinline)) int light(int *p)
{
    return *p + 1;
}
__attribute__((noinline)) long relies(int *p, long a, long b, long c, long d, long e)
{
    long f = a * b, g = c * d, h = e * a;
    long s = light(p);
    return s + a + b + c + d + e + f + g + h;
}

/* All kinds of arguments at once. */
__attribute__((noinline)) double many(int a, double b, float c, long d, double e, int f, int g, double h, int i, int j, double k)
{
    counter++;
    return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + i * 9 + j * 10 + k * 11;
}
__attribute__((noinline)) double variable(int n, ...)
{
    va_list list;
    va_start(list, n);
    double s = 0;
    for (int i = 0; i < n; i++)
        s += i % 2 ? va_arg(list, double) : va_arg(list, int);
    va_end(list);
    counter++;
    return s;
}
struct large { long x[9]; };
__attribute__((noinline)) struct large make(long x)
{
    struct large l;
    for (int i = 0; i < 9; i++)
        l.x[i] = x * i + counter;
    return l;
}
typedef double vector __attribute__((vector_size(16)));
__attribute__((noinline)) vector add(vector a, vector b, const double *p)
{
    return a + b + *p;
}

/* A function within a function, which uses the outer one's variables, and is handed on. */
static __attribute__((noinline)) int apply(int (*f)(int), int x)
{
    return f(x) + f(x + 1);
}
__attribute__((noinline)) int outer(int *p)
{
    int sum = *p;
    int inner(int x)
    {
        sum += x * *p;
        return sum;
    }
    int result = 0;
    for (int i = 0; i < 4; i++)
        result += apply(inner, i);
    return result + sum;
}

static jmp_buf buffer;
__attribute__((noinline)) void far(int *p)
{
    if (*p > 2)
        longjmp(buffer, *p);
    ++*p;
    far(p);
}
static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}
int second_name(int) __attribute__((alias("jumps")));
__attribute__((weak)) int weak(int *p)
{
    return *p * 3;
}
__attribute__((constructor)) static void before(void)
{
    counter += 10;
}

int main(void)
{
    long sum = 0;
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 8; i++)
            sum += jumps(i) + second_name(i + 1);
        int x = round;
        sum += relies(&x, 1, 2, 3, round, 5) + outer(&x) + weak(&x) + unused_in_some(x);
        sum += (long)many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, round) + (long)variable(6, 1, 2.5, 3, 4.5, 5, 6.5);
        struct large l = make(round);
        sum += l.x[8];
        double third = 3;
        vector v = add((vector){1, 2}, (vector){round, 4}, &third);
        sum += (long)(v[0] * 10 + v[1]);
        int depth = 0;
        int landed = setjmp(buffer);
        if (landed)
            sum += landed;
        else
            far(&depth);
        int array[] = {5, 3, round % 7, 1, 4};
        qsort(array, 5, sizeof *array, compare);
        sum += array[0] * 100 + array[4];
        flag++;
    }
    printf("%ld %d %d %d %s\n", sum, counter, mine, flag, names[counter & 3]);
    return 0;
}
