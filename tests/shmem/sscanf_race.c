/* thrille: n=2 */
/* sscanf writes a number that another PE puts. */
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
    int first = 0, third = 7;
    if (me == 1 && sscanf("12 34 word", "%d %d", &first, &numbers[3]) != 2) /* race: a */
        return 1;
    if (me == 0)
        shmem_putmem(&numbers[3], &third, 4, 1); /* race: a */
    shmem_finalize();
    return 0;
}
