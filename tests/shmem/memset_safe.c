/* thrille: n=2 */
/* PE 1 clears its buffer before the barrier after which PE 0 puts to it. */
#include <shmem.h>
#include <string.h>

static char x[200];
static char from[8];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 1)
        memset(x, 0, sizeof x);
    shmem_barrier_all();
    if (me == 0)
        shmem_putmem(&x[100], from, 8, 1);
    shmem_finalize();
    return 0;
}
