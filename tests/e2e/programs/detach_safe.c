/* thrille: n=1 */
/* What comes before the fulfilment of an event comes before what depends on the task. */
#include <omp.h>
#include <shmem.h>
static int x, y, z, t, a[20], b[20];
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
        omp_event_handle_t event;
#pragma omp task depend(out : y) detach(event)
        t = 1;
#pragma omp task firstprivate(event)
        {
            x = 1;
            omp_fulfill_event(event);
        }
#pragma omp task depend(in : y)
        z = x;
    }
    shmem_finalize();
    return 0;
}
