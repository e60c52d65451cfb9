/* thrille: n=2 */
/* PE 1 writes a string that PE 0 gets at the same time. */
#include <shmem.h>
#include <string.h>

static char x[32];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    char name[32] = "pe one";
    if (me == 1)
        strcpy(x, name); /* race: a */
    if (me == 0)
        shmem_getmem(name, x, sizeof name, 1); /* race: a */
    shmem_finalize();
    return 0;
}
