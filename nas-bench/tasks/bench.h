/* What the task programs share: one rank that follows its tasks, or with -DPLAIN an ordinary OpenMP program for other tools. */
#ifndef BENCH_H
#define BENCH_H
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef PLAIN
#define BEGIN()
#define END()
#else
#include <shmem.h>
#define BEGIN() shmem_init()
#define END() shmem_finalize()
#endif

static inline long option(int argc, char **argv, int which, long usual)
{
    return argc > which ? atol(argv[which]) : usual;
}

/* A number from 0 to 1 that depends on i alone. */
static inline double some(unsigned long i)
{
    i = (i + 1) * 0x9e3779b97f4a7c15UL;
    i = (i ^ (i >> 29)) * 0xbf58476d1ce4e5b9UL;
    return (double)(i >> 40) / (double)(1UL << 24);
}

static inline int verdict(const char *name, int right)
{
    printf("%s: %s\n", name, right ? "verified" : "WRONG");
    return right ? 0 : 1;
}
#endif
