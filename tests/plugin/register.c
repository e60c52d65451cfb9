/* Within the loop the sum is kept in a register: the load before the loop is the optimiser's own, and is told as the line that it was made of. */
#include <shmem.h>

static double total, part[64];

int main(void)
{
    shmem_init();
    for (int i = 0; i < 64; i++)
        part[i] = i;
    if (shmem_my_pe() == 1)
        shmem_double_p(&total, 1.0, 0);
    else
        for (int i = 0; i < 64; i++)
            total += part[i];
    shmem_finalize();
    return 0;
}
