/* thrille: n=2 policies=budget */
/* Sections of a lock are far more than a budget can follow; the last of them hands something over. */
#include <shmem.h>

enum { SECTIONS = 60000 };

static long lock, count, handed, data, later;

static long add(long by)
{
    shmem_set_lock(&lock);
    long now = shmem_long_g(&count, 0) + by;
    shmem_long_p(&count, now, 0);
    shmem_clear_lock(&lock);
    return now;
}

int main(void)
{
    volatile long seen = 0;
    shmem_init();
    int me = shmem_my_pe();
    for (int i = 0; i < SECTIONS; i++)
        add(1);
    if (me == 0) {
        data = 1;
        shmem_set_lock(&lock);
        shmem_long_p(&handed, 1, 1);
        shmem_clear_lock(&lock);
    } else {
        for (long there = 0; there == 0;) {
            shmem_set_lock(&lock);
            there = handed;
            shmem_clear_lock(&lock);
        }
        seen = shmem_long_g(&data, 0);
    }
    shmem_barrier_all();
    if (me == 0)
        shmem_long_p(&later, 1, 1);
    shmem_barrier_all();
    if (me == 1)
        seen += later;
    shmem_barrier_all();
    shmem_finalize();
    return seen < 0;
}
