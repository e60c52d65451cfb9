/* thrille: n=3 */
/* Two PEs put two bytes each at neighbouring addresses: the middle byte is written by both. */
#include <shmem.h>

static char x[16];
static char from[2] = {'a', 'b'};

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me > 0)
        shmem_putmem(&x[me - 1], from, 2, 0); /* race: a a */
    shmem_finalize();
    return 0;
}
