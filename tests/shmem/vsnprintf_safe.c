/* thrille: n=2 */
/* It writes before the barrier. */
#include <shmem.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char text[64] = "0123456789 nothing yet";
static int numbers[16];

static void say(char *to, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(to, 64, format, list);
    va_end(list);
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    static char got[64];
    if (me == 1)
        say(text, "%s and %s", "one", "another");
    shmem_barrier_all();
    if (me == 0)
        shmem_getmem(got, text, 12, 1);
    shmem_finalize();
    return 0;
}
