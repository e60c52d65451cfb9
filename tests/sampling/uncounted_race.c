/* thrille: n=2 policies=budget */
/* The same, and a race in the next phase: what is not recorded behind an uncounted update is recorded again behind a barrier. */
#include <shmem.h>

enum { WORDS = 1000, UPDATES = 400000 };

static long table[WORDS + 1];
static long data, later;

int main(void)
{
    volatile long seen = 0;
    shmem_init();
    if (shmem_my_pe() == 0) {
        shmem_long_p(&data, 1, 1);
        shmem_quiet();
        for (int i = 1; i <= UPDATES; i++)
            shmem_long_atomic_inc(&table[i == UPDATES ? WORDS : i % WORDS], 1);
    } else {
        shmem_long_wait_until(&table[WORDS], SHMEM_CMP_EQ, 1);
        seen = data;
    }
    shmem_barrier_all();
    if (shmem_my_pe() == 0)
        shmem_long_p(&later, 1, 1); /* race: a */
    if (shmem_my_pe() == 1)
        seen += later; /* race: a */
    shmem_barrier_all();
    shmem_finalize();
    return seen < 0;
}
