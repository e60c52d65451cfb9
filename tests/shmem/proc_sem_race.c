/* thrille: n=2 flags=-pthread */
/* A named semaphore and one in System V's shared memory : the producer may be one ahead, since one more than there are cells may be empty. */
#include <fcntl.h>
#include <semaphore.h>
#include <shmem.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <unistd.h>

static long slot;
static int numbers[2];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0) {
        numbers[0] = (int)getpid();
        numbers[1] = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    }
    shmem_barrier_all();
    int key = shmem_int_g(&numbers[0], 0);
    int id = shmem_int_g(&numbers[1], 0);
    char name[64];
    snprintf(name, sizeof name, "/thrille-sem-%d", key);
    sem_t *full = sem_open(name, O_CREAT, 0600, 0);
    sem_t *empty = shmat(id, NULL, 0);
    if (me == 0)
        sem_init(empty, 1, 2);
    shmem_barrier_all();
    if (me == 0) {
        sem_unlink(name);
        shmctl(id, IPC_RMID, NULL);
    }
    volatile long seen;
    for (int i = 0; i < 10; i++) {
        if (me == 0) {
            sem_wait(empty);
            shmem_long_p(&slot, i, 1); /* race: a */
            shmem_quiet();
            sem_post(full);
        } else {
            sem_wait(full);
            seen = slot; /* race: a */
            sem_post(empty);
        }
    }
    (void)seen;
    shmem_barrier_all();
    sem_close(full);
    shmdt(empty);
    shmem_finalize();
    return 0;
}
