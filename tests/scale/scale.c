/* scale BARRIERS ACCESSES: each PE makes that many accesses to shared memory between two of that many barriers, in places that are not
   next to one another, some of them on other PEs. All are in order, except one pair in the phase in the middle. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 1 << 16, GHOSTS = 64 };

/* Not static: nobody reads the cells, and the compiler must not know. */
long cells[CELLS];
static long ghosts[2][GHOSTS], flag;

int main(int argc, char **argv)
{
    long barriers = argc > 1 ? atol(argv[1]) : 1000, accesses = argc > 2 ? atol(argv[2]) : 125;
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n;
    unsigned long random = 12345 + me;
    long sum = 0, remote = accesses / 5;
    for (long phase = 0; phase < barriers; phase++) {
        for (long i = 0; i < accesses - 2 * remote; i++) {
            random = random * 6364136223846793005ul + 1442695040888963407ul;
            cells[random >> 48] = random;
        }
        for (long i = 0; i < remote; i++) {
            shmem_long_p(&ghosts[phase & 1][i * 7 % GHOSTS], phase, right);
            shmem_fence();
            sum += ghosts[~phase & 1][i * 5 % GHOSTS];
        }
        if (phase == barriers / 2 && me == 0)
            shmem_long_p(&flag, 1, 1); /* race: a */
        if (phase == barriers / 2 && me == 1)
            sum += flag; /* race: a */
        shmem_barrier_all();
    }
    if (sum == 42)
        puts("never");
    shmem_finalize();
    return 0;
}
