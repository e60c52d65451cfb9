/* thrille: n=2 */
/* C++: the overloads of shmem.h. */
#include <shmem.h>

static long x;

int main()
{
    shmem_init();
    int me = shmem_my_pe();
    shmem_p(&x, 3, 1 - me);
    shmem_barrier_all();
    volatile long seen = x;
    (void)seen;
    shmem_finalize();
    return 0;
}
