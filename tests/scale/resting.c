/* Threads that have done something once and rest from then on, while the PEs pass barriers: they hold nothing back. */
#include <omp.h>
#include <pthread.h>
#include <shmem.h>
#include <stdlib.h>

static long buf[128], src[128];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static int stop;

static void *sleeper(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (!stop)
        pthread_cond_wait(&wake, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(int argc, char **argv)
{
    long barriers = argc > 1 ? atol(argv[1]) : 1000;
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    pthread_t thread;
    pthread_create(&thread, NULL, sleeper, NULL);
    long sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    sum += omp_get_thread_num();
    int other = 1 - shmem_my_pe();
    for (long i = 0; i < barriers; i += 2) {
        for (int k = 0; k < 128; k += 2)
            src[k] = i + k;
        shmem_long_put(buf, src, 64 + i % 64, other);
        shmem_barrier_all();
        for (int k = 0; k < 128; k++)
            sum += buf[k];
        shmem_barrier_all();
    }
    pthread_mutex_lock(&mutex);
    stop = 1;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    shmem_finalize();
    return sum == 42;
}
