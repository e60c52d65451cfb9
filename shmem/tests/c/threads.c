/* SHMEM_THREAD_MULTIPLE: several threads of each PE at once, each with a context, a team and a lock of its own or in common. */
#include <pthread.h>
#include <shmem.h>
#include "check.h"

#define THREADS 4
#define ROUNDS 500
static long counter, locked, lock, mail[THREADS * 8];
static shmem_team_t teams[THREADS];
static int me, n;

static void *work(void *arg) {
    long t = (long)arg;
    shmem_ctx_t ctx;
    CHECK(!shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx));
    for (int i = 0; i < ROUNDS; i++) shmem_ctx_long_atomic_inc(ctx, &counter, i % n);
    for (int i = 0; i < 50; i++) {
        shmem_set_lock(&lock);
        long seen = shmem_ctx_long_g(ctx, &locked, 0);
        shmem_ctx_long_p(ctx, &locked, seen + 1, 0);
        shmem_clear_lock(&lock);
    }
    for (int i = 1; i <= 50; i++) {
        shmem_team_sync(teams[t]);
        shmem_ctx_long_p(ctx, &mail[t * 8 + me], i, (me + 1) % n);
        shmem_long_wait_until(&mail[t * 8 + (me + n - 1) % n], SHMEM_CMP_GE, i);
    }
    shmem_ctx_quiet(ctx);
    shmem_ctx_destroy(ctx);
    return NULL;
}

int main(void) {
    int provided, again;
    CHECK(!shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) && provided == SHMEM_THREAD_MULTIPLE);
    shmem_query_thread(&again);
    CHECK(again == provided);
    me = shmem_my_pe(), n = shmem_n_pes();
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) CHECK(!shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &teams[i]));
    for (long i = 0; i < THREADS; i++) CHECK(!pthread_create(&threads[i], NULL, work, (void *)i));
    for (int i = 0; i < THREADS; i++) CHECK(!pthread_join(threads[i], NULL));
    shmem_barrier_all();
    static long sum;
    CHECK(!shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &counter, 1) && sum == (long)THREADS * ROUNDS * n);
    if (me == 0) CHECK(locked == THREADS * 50 * n);
    shmem_finalize();
    return 0;
}
