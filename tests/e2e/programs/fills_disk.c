/* Races, fills the disk that FILE is on, races again: fills_disk FILE. */
#include <shmem.h>
#include <stdio.h>

static long before[1], after[100];

int main(int argc, char **argv)
{
    static char block[4096];
    volatile long seen = 0;
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0)
        shmem_long_p(&before[0], 1, 1); /* race: a */
    if (me == 1)
        seen = before[0]; /* race: a */
    shmem_barrier_all();
    shmem_barrier_all();
    if (me == 0 && argc > 1) {
        FILE *file = fopen(argv[1], "w");
        setbuf(file, NULL);
        while (fwrite(block, 1, sizeof block, file) == sizeof block)
            ;
        while (fwrite(block, 1, 1, file) == 1)
            ;
        fclose(file);
    }
    shmem_barrier_all();
    for (int i = 0; i < 100; i++) {
        if (me == 0)
            shmem_long_p(&after[i], 1, 1);
        if (me == 1)
            seen = after[i];
        shmem_barrier_all();
    }
    puts("done");
    (void)seen;
    shmem_finalize();
    return 0;
}
