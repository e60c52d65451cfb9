/* Asks for a routine that no OpenSHMEM has. */
#include <shmem.h>

void shmem_teleport(void);

int main(void)
{
    shmem_init();
    shmem_teleport();
    shmem_finalize();
    return 0;
}
