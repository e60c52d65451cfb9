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
            omp_fulfill_event(event);
            x = 1; /* race: a */
        }
#pragma omp task depend(in : y)
        z = x; /* race: a */
    }
    shmem_finalize();
    return 0;
}
