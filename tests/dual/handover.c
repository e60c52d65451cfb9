/* A word is handed to and fro between two threads by an atomic flag, so often that the functions which do it are not looked at any more. With RACE the
 * flag orders nothing. */
#include <pthread.h>
#include <sched.h>
#include <shmem.h>
#include <stdatomic.h>
#include <stdio.h>

enum { ROUNDS = 400 };
#ifdef RACE
#define ACQUIRE memory_order_relaxed
#define RELEASE memory_order_relaxed
#else
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#endif

static _Atomic int turn;
static long word, filler[64], polls[2][64];

static inline int turns_to(int me)
{
    return atomic_load_explicit(&turn, ACQUIRE) == me;
}

static __attribute__((noinline)) void await(int me)
{
    do {
        for (int i = 0; i < 64; i++)
            polls[me][i]++;
        sched_yield();
    } while (!turns_to(me));
}

static __attribute__((noinline)) void hand_over(int to)
{
    atomic_store_explicit(&turn, to, RELEASE);
}

static __attribute__((noinline)) void work(int me)
{
    for (int i = me; i < 64; i += 2)
        filler[i] += i;
    word++;
}

static void *other(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        await(1);
        work(1);
        hand_over(0);
    }
    return unused;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        await(0);
        work(0);
        hand_over(1);
    }
    pthread_join(thread, NULL);
    printf("%ld %ld\n", word, filler[63]);
    shmem_finalize();
    return 0;
}
