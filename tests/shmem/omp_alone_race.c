/* thrille: n=2 */
/* After a region its workers wait to be called, and the main thread is alone: until it makes a thread of its own, and in the next region. */
#include <omp.h>
#include <pthread.h>
#include <shmem.h>
#include <stdlib.h>

static void *runs(void *block)
{
    *(long *)block = 1; /* race: a */
    return NULL;
}

int main(void)
{
    shmem_init();
    long *block = calloc(4, sizeof *block);
#pragma omp parallel num_threads(2)
    block[omp_get_thread_num()] = 1;
    block[0] = block[1] = 2;
    pthread_t thread;
    pthread_create(&thread, NULL, runs, block);
    block[0] = 2; /* race: a */
    pthread_join(thread, NULL);
    block[2] = 3;
#pragma omp parallel num_threads(2)
    block[3] = 4; /* race: b b */
    free(block);
    shmem_finalize();
    return 0;
}
