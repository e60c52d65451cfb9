/* thrille: n=2 */
/* Many arguments of all kinds: the string behind them is read, while another PE puts it. */
#include <shmem.h>
#include <stdio.h>
#include <string.h>

static char text[256];
static int a, b, c, d, e, f, g, h;
static double x;
static char word[16];
static char last[16] = "the end";

int main(void)
{
    shmem_init();
    if (shmem_my_pe() == 0)
        shmem_putmem(last, "the end", 8, 1); /* race: a */
    int n = snprintf(text, sizeof(text), "%d %s %f %Lf %c %d %d %d %d %d %g %g %g %g %g %g %g %g %Lg %*d %.*s|%.2s|%%%zu", 1, "two", 3.0, 4.0L, '5', /* race: a */
                     6, 7, 8, 9, 10, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5L, 4, 11, 2, "twelve", last + 4, (size_t)13);
    const char *expected = "1 two 3.000000 4.000000 5 6 7 8 9 10 1.5 2.5 3.5 4.5 5.5 6.5 7.5 8.5 9.5   11 tw|en|%13";
    if (strcmp(text, expected) || n != (int)strlen(expected))
        return 3;
    if (sscanf("1 2 3 4 5 6 7 8 9.5 rest", "%d %d %d %d %d %d %d %d %lf %15s", &a, &b, &c, &d, &e, &f, &g, &h, &x, word) != 10)
        return 4;
    if (a != 1 || h != 8 || x != 9.5 || strcmp(word, "rest"))
        return 5;
    if (sscanf("1 x", "%d %d", &a, &b) != 1 || sscanf("", "%d", &a) != EOF)
        return 6;
    shmem_finalize();
    return 0;
}
