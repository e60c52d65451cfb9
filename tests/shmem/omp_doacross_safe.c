/* thrille: n=2 */
/* An iteration waits for the one before it. */
#include <omp.h>
#include <shmem.h>

static volatile long a[8];

int main(void)
{
    shmem_init();
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(2)
    for (int i = 1; i < 8; i++) {
        volatile long seen;
#pragma omp ordered depend(sink : i - 1)
        seen = a[i - 1];
        a[i] = i;
#pragma omp ordered depend(source)
        (void)seen;
    }
    shmem_finalize();
    return 0;
}
