/* thrille: n=1,2 */
/* Each has its own, at the same place of the stack. */
#include <shmem.h>
static void write(int *p)
{
    *p = 1;
}
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 10; i++) {
#pragma omp task
        {
            int local = 0;
            write(&local);
        }
        int other = 0;
        write(&other);
    }
    shmem_finalize();
    return 0;
}
