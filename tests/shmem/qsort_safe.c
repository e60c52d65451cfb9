/* thrille: n=2 */
/* qsort moves it after the barrier. */
#include <shmem.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char text[64] = "0123456789 nothing yet";
static int numbers[16];

static int by_address(const void *a, const void *b)
{
    return a < b ? -1 : a > b;
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    int five = 5;
    if (me == 0)
        shmem_putmem(&numbers[4], &five, 4, 1);
    shmem_barrier_all();
    if (me == 1)
        qsort(numbers, 16, sizeof(int), by_address);
    shmem_finalize();
    return 0;
}
