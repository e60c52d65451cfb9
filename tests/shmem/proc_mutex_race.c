/* thrille: n=2,4 flags=-pthread */
/* A process-shared mutex in memory of shm_open: one of its holders reads before it has it. */
#include <fcntl.h>
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static long total;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    static int creator;
    if (me == 0)
        creator = (int)getpid();
    shmem_barrier_all();
    int key = shmem_int_g(&creator, 0);
    char name[64];
    snprintf(name, sizeof name, "/thrille-mutex-%d", key);
    int fd = shm_open(name, O_CREAT | O_RDWR, 0600);
    if (ftruncate(fd, 4096) != 0)
        return 1;
    pthread_mutex_t *mutex = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (me == 0) {
        pthread_mutexattr_t attr;
        pthread_mutexattr_init(&attr);
        pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
        pthread_mutex_init(mutex, &attr);
    }
    shmem_barrier_all();
    long now = shmem_long_g(&total, 0); /* race: a */
    pthread_mutex_lock(mutex);
    shmem_long_p(&total, now + 1, 0); /* race: a */
    shmem_quiet();
    pthread_mutex_unlock(mutex);
    shmem_barrier_all();
    if (me == 0)
        shm_unlink(name);
    munmap(mutex, 4096);
    shmem_finalize();
    return 0;
}
