/* thrille: n=2 */
/* shmem_sync_all orders the strcpy of PE 1 before the get of PE 0. */
#include <shmem.h>
#include <string.h>

static char x[32];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    char name[32] = "pe one";
    if (me == 1)
        strcpy(x, name);
    shmem_sync_all();
    if (me == 0)
        shmem_getmem(name, x, sizeof name, 1);
    shmem_finalize();
    return 0;
}
