/* thrille: n=2 */
/* read writes it before the barrier. */
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
    static char got[4];
    int ends[2];
    if (pipe(ends) || write(ends[1], "abcd", 4) != 4)
        return 1;
    if (me == 1 && read(ends[0], text, 4) != 4)
        return 1;
    shmem_barrier_all();
    if (me == 0)
        shmem_getmem(got, text, 4, 1);
    shmem_finalize();
    return 0;
}
