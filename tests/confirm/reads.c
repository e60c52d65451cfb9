/* Whether there is a race depends on standard input. */
#include <shmem.h>
#include <stdio.h>

static long x;
static int wanted;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0 && scanf("%d", &wanted) == 1)
        shmem_int_p(&wanted, wanted, 1);
    shmem_barrier_all();
    if (me == 0 && wanted)
        shmem_long_p(&x, 1, 1); /* race: a */
    if (me == 1 && wanted && x == 1) /* race: a */
        printf("one\n");
    shmem_finalize();
    return 0;
}
