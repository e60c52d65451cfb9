/* PE 1 uses an index that PE 0 has not put there yet: in one order it is out of range. */
#include <shmem.h>
#include <stdlib.h>

static long where = -1;
static long table[4] = { 1, 2, 3, 4 };

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    long sum = 0;
    if (me == 0) {
        long zero = 0;
        shmem_long_put(&where, &zero, 1, 1); /* race: a */
        shmem_quiet();
    }
    if (me == 1) {
        /* Long enough that the put is there in every plain run. */
        for (volatile long i = 0; i < 30000000; i++)
            ;
        long at = where; /* race: a */
        if (at < 0)
            abort();
        sum = table[at];
    }
    shmem_finalize();
    return sum > 4;
}
