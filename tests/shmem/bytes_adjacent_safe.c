/* thrille: n=3 */
/* Two PEs put one byte each at neighbouring addresses: no byte in common. */
#include <shmem.h>

static char x[4];
static char from[2] = {'a', 'b'};

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me > 0)
        shmem_putmem(&x[me - 1], from, 1, 0);
    shmem_finalize();
    return 0;
}
