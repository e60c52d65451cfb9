/* thrille: n=2 */
/* snprintf writes the string that another PE gets. */
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
        snprintf(text, sizeof(text), "%s %ld %g %c", "from", 1L, 2.5, 'x'); /* race: a */
    if (me == 0)
        shmem_getmem(got, text, 12, 1); /* race: a */
    shmem_finalize();
    return 0;
}
