/* thrille: n=2 */
/* A named pipe between processes, written by printf and read by lines. */
#include <shmem.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int key;
static long data;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    char name[64];
    if (me == 0)
        key = (int)getpid();
    shmem_barrier_all();
    snprintf(name, sizeof name, "/tmp/thrille-fifo-%d", shmem_int_g(&key, 0));
    if (me == 0)
        mkfifo(name, 0600);
    shmem_barrier_all();
    if (me == 0) {
        FILE *to = fopen(name, "w");
        data = 1;
        fprintf(to, "ready\n");
        fclose(to);
    } else {
        FILE *from = fopen(name, "r");
        char line[16];
        volatile long seen;
        if (fgets(line, sizeof line, from))
            seen = shmem_long_g(&data, 0);
        (void)seen;
        fclose(from);
    }
    shmem_barrier_all();
    if (me == 0)
        unlink(name);
    shmem_finalize();
    return 0;
}
