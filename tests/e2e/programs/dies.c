/* Races, if asked to, passes two barriers, and then PE 1 dies in the way that is asked for: dies HOW race|clean [READY]. It does not pass any if the way is one of "now".
   READY is the name of a file that each PE makes one of when it is at the end of its way. */
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long x, go;

static void ready(const char *name, int me)
{
    char path[4096];
    snprintf(path, sizeof path, "%s-%d", name, me);
    fclose(fopen(path, "w"));
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    volatile long seen = 0;
    shmem_init();
    int me = shmem_my_pe();
    if (argc > 2 && strcmp(argv[2], "race") == 0) {
        if (me == 0)
            shmem_long_p(&x, 1, 1); /* race: a */
        if (me == 1)
            seen = x; /* race: a */
    }
    if (strstr(how, "_now") != NULL) {
        /* Before any barrier; PE 1 dies when the store of PE 0 has been, and not before. */
        if (me == 0)
            shmem_long_atomic_set(&go, 1, 1);
        if (me == 1) {
            shmem_long_wait_until(&go, SHMEM_CMP_EQ, 1);
            if (strcmp(how, "segv_now") == 0)
                *(volatile int *)(8 * seen) = 1;
            abort();
        }
    }
    shmem_barrier_all();
    shmem_barrier_all();
    if (argc > 3)
        ready(argv[3], me);
    if (strcmp(how, "compute") == 0)
        for (;;)
            seen++;
    if (strcmp(how, "barriers") == 0)
        for (;;)
            shmem_barrier_all();
    if (strcmp(how, "sleep") == 0)
        for (;;)
            pause();
    if (me != 1 && strcmp(how, "exit_alone") == 0)
        for (;;)
            seen++;
    if (me == 1) {
        if (strcmp(how, "exit_alone") == 0)
            exit(3);
        if (strcmp(how, "segv") == 0)
            *(volatile int *)(8 * seen) = 1;
        if (strcmp(how, "abort") == 0)
            abort();
        if (strcmp(how, "exit") == 0)
            exit(3);
        if (strcmp(how, "_exit") == 0)
            _exit(3);
        if (strcmp(how, "kill") == 0)
            raise(SIGKILL);
        if (strcmp(how, "global") == 0)
            shmem_global_exit(3);
    }
    shmem_barrier_all();
    shmem_finalize();
    return strcmp(how, "return") == 0 && me == 1 ? 3 : 0;
}
