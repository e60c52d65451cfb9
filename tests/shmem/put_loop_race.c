/* thrille: n=2 */
/* The put of one iteration is still under way when that of the next is issued to the same word: a line that races
   with itself. */
#include <shmem.h>

static long x;
static long from[3] = {1, 2, 3};

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0) {
        for (int i = 0; i < 3; i++) {
            shmem_long_put(&x, &from[i], 1, 1); /* race: a a */
        }
    }
    shmem_finalize();
    return 0;
}
