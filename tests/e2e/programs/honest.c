/* Says what it was given: honest ARGS...; PE 0 copies its standard input. One PE after the other, so that the output is known. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    for (int turn = 0; turn < n; turn++) {
        if (turn == me) {
            printf("PE %d of %d, environment %s\n", me, n, getenv("THRILLE_E2E") ? getenv("THRILLE_E2E") : "none");
            for (int i = 1; i < argc; i++)
                printf("<%s>\n", argv[i]);
            for (int c = getchar(); c != EOF; c = getchar())
                putchar(c);
            fflush(stdout);
            fprintf(stderr, "error of PE %d\n", me);
        }
        shmem_barrier_all();
    }
    shmem_finalize();
    return 0;
}
