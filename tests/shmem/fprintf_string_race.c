/* thrille: n=2 */
/* fprintf reads the string that another PE puts. */
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
    FILE *file = tmpfile();
    if (me == 0)
        shmem_putmem(text, "hello", 6, 1); /* race: a */
    if (me == 1)
        fprintf(file, "%d %f: %s\n", me, 1.5, text); /* race: a */
    fclose(file);
    shmem_finalize();
    return 0;
}
