/* thrille: n=2 */
/* PE 1 clears its buffer with memset while the put of PE 0 to it is under way. */
#include <shmem.h>
#include <string.h>

static char x[200];
static char from[8];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 1)
        memset(x, 0, sizeof x); /* race: a */
    if (me == 0)
        shmem_putmem(&x[100], from, 8, 1); /* race: a */
    shmem_finalize();
    return 0;
}
