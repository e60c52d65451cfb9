/* thrille: n=2,3 */
/* A C11 atomic in memory of shm_open: who acquires what was released comes after it. */
#include <fcntl.h>
#include <sched.h>
#include <shmem.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
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
    snprintf(name, sizeof name, "/thrille-flag-%d", shmem_int_g(&key, 0));
    int fd = shm_open(name, O_CREAT | O_RDWR, 0600);
    if (ftruncate(fd, 4096) != 0)
        return 1;
    atomic_int *flag = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    shmem_barrier_all();
    if (me == 0) {
        shm_unlink(name);
        data = 1;
        atomic_store_explicit(flag, 1, memory_order_release);
    } else {
        while (atomic_load_explicit(flag, memory_order_acquire) == 0)
            sched_yield();
        volatile long seen = shmem_long_g(&data, 0);
        (void)seen;
    }
    shmem_barrier_all();
    munmap(flag, 4096);
    close(fd);
    shmem_finalize();
    return 0;
}
