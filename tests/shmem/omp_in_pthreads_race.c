/* thrille: n=2 flags=-fopenmp */
/* Two threads with a parallel region each, beside each other: both add to one sum. */
#include <shmem.h>
#include <pthread.h>

static long x, sums[2], both;

static void *work(void *arg)
{
    long me = (long)arg, sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum) schedule(dynamic)
    for (int i = 0; i < 20; i++) {
        sum += i;
#pragma omp critical(both)
        both++;
    }
    sums[me] = sum; /* race: b */
    sums[0] += me; /* race: a a, b */
    return NULL;
}

int main(void)
{
    int provided;
        pthread_t threads[2];
    shmem_init_thread(SHMEM_THREAD_FUNNELED, &provided);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    sums[0] += both;
    shmem_long_put(&x, &sums[0], 1, 1 - shmem_my_pe());
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
