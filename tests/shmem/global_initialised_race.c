/* thrille: n=2 */
/* PE 0 gets a table with initial values, in the data section, of which PE 1 changes an element. */
#include <shmem.h>

long table[4] = {1, 2, 3, 4};

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    long to[4];
    if (me == 0)
        shmem_long_get(to, table, 4, 1); /* race: a */
    if (me == 1)
        table[3] = 5; /* race: a */
    shmem_finalize();
    return 0;
}
