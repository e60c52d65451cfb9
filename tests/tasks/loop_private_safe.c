/* thrille: n=1 */
/* Private of a taskloop. */
#include <shmem.h>
static int y;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
        int own = 0;
#pragma omp taskloop private(own)
        for (int i = 0; i < 16; i++) {
            own = i;
        }
        y = own * 0;
    }
    shmem_finalize();
    return 0;
}
