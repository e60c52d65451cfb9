/* Correct: rank 0 fills a buffer, then raises a counter under a lock; rank 1 sees the counter under the lock, then gets the buffer. When
 * this file is not instrumented the store to the counter is not seen, and with it what flows through the lock. */
#include <shmem.h>

static long lock, counter, data[4], buffer[4];

int main(void)
{
    shmem_init();
    long seen = 0, got[4];
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        shmem_getmem(buffer, data, sizeof buffer, 1);
        shmem_set_lock(&lock);
        counter = 1;
        shmem_clear_lock(&lock);
    } else {
        while (!seen) {
            shmem_set_lock(&lock);
            shmem_getmem(&seen, &counter, sizeof seen, 0);
            shmem_clear_lock(&lock);
        }
        shmem_getmem(got, buffer, sizeof got, 0);
    }
    shmem_finalize();
    return 0;
}
