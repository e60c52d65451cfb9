/* thrille: n=1 */
/* A method's tasks and this. */
#include <shmem.h>
static int y;
struct Sum {
    int value = 0;
    void run()
    {
#pragma omp task
        value += 1; /* race: a */
#pragma omp task
        value += 2; /* race: a */
#pragma omp taskwait
    }
};
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
        Sum s;
        s.run();
        y = s.value;
    }
    shmem_finalize();
    return 0;
}
