/* thrille: n=3 */
/* Data for PE 1 is handed over by a word of PE 2 after a quiet. */
#include <shmem.h>

static long data[4];
static unsigned long long word;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        long out[4] = { 1, 2, 3, 4 };
        shmem_long_put(data, out, 4, 1);
        shmem_quiet();
        shmem_ulonglong_atomic_swap(&word, 1, 2);
    }
    if (me == 1) {
        while (shmem_ulonglong_atomic_compare_swap(&word, 1, 2, 2) != 1)
            ;
        seen = data[3];
    }
    (void)seen;
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
