/* thrille: n=2 */
/* fwrite reads it after the barrier. */
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
    int five[5] = {5};
    FILE *file = tmpfile();
    if (me == 0)
        shmem_putmem(&numbers[4], five, 20, 1);
    shmem_barrier_all();
    if (me == 1)
        fwrite(numbers, sizeof(int), 8, file);
    fclose(file);
    shmem_finalize();
    return 0;
}
