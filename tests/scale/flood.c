/* One line makes more records than may be held; the race is between lines that come later and execute once. */
#include <shmem.h>
#include <stdlib.h>

enum { WORDS = 1 << 18 };

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), other = (me + 1) % shmem_n_pes();
    long *table = shmem_calloc(WORDS, sizeof(long));
    long *word = shmem_calloc(1, sizeof(long));
    unsigned long at = 12345 + me;
    for (int i = 0; i < WORDS; i++) {
        at = at * 6364136223846793005ul + 1442695040888963407ul;
        table[(at >> 33) % WORDS] += i;
    }
    if (me == 0)
        shmem_long_p(word, 1, other); /* race: a */
    volatile long seen = 0;
    if (me == 1)
        seen = *word; /* race: a */
    shmem_barrier_all();
    shmem_finalize();
    return seen > 1;
}
