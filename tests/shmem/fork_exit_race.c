/* thrille: n=2 */
/* A process that a PE forks is no PE: it ends by exit, and what the PE does later is looked at as before. The put lacks its barrier. */
#include <shmem.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static long word;

int main(void)
{
    volatile long seen;
    int status = 0;
    shmem_init();
    pid_t child = fork();
    if (child == 0) {
        word = 3;
        exit(7);
    }
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7)
        return 1;
    shmem_barrier_all();
    if (shmem_my_pe() == 0)
        shmem_long_p(&word, 1, 1); /* race: a */
    seen = word; /* race: a */
    shmem_finalize();
    (void)seen;
    return 0;
}
