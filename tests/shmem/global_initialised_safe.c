/* thrille: n=2 */
/* PE 0 gets the half of the table that PE 1 does not change. */
#include <shmem.h>

long table[4] = {1, 2, 3, 4};

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    long to[4];
    if (me == 0)
        shmem_long_get(to, table, 2, 1);
    if (me == 1)
        table[3] = 5;
    shmem_finalize();
    return 0;
}
