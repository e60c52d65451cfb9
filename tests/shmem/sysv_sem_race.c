/* thrille: n=2,3 */
/* A semaphore of System V as a lock: what is not under it is not ordered by it. */
#include <shmem.h>
#include <sys/ipc.h>
#include <sys/sem.h>

static int id;
static long total;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0) {
        id = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
        semctl(id, 0, SETVAL, 1);
    }
    shmem_barrier_all();
    int set = shmem_int_g(&id, 0);
    struct sembuf take = {0, -1, 0}, give = {0, 1, 0};
    long now = shmem_long_g(&total, 0); /* race: a */
    semop(set, &take, 1);
    shmem_long_p(&total, now + 1, 0); /* race: a */
    shmem_quiet();
    semop(set, &give, 1);
    shmem_barrier_all();
    if (me == 0)
        semctl(id, 0, IPC_RMID);
    shmem_finalize();
    return 0;
}
