/* thrille: n=2 */
/* snprintf writes the string before the barrier. */
#include <shmem.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char text[64] = "0123456789 nothing yet";
static int numbers[16];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    static char got[64];
    if (me == 1)
        snprintf(text, sizeof(text), "%s %ld %g %c", "from", 1L, 2.5, 'x');
    shmem_barrier_all();
    if (me == 0)
        shmem_getmem(got, text, 12, 1);
    shmem_finalize();
    return 0;
}
