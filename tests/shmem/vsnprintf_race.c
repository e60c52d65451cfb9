/* thrille: n=2 */
/* A function of the program with a variable list of arguments writes what another PE gets. */
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
    vsnprintf(to, 64, format, list); /* race: a */
    va_end(list);
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    static char got[64];
    if (me == 1)
        say(text, "%s and %s", "one", "another");
    if (me == 0)
        shmem_getmem(got, text, 12, 1); /* race: a */
    shmem_finalize();
    return 0;
}
