/* thrille: n=1,2 */
/* Tasks without OpenMP: what a task writes is read after the finish around it. */
#include <shmem.h>
#include <thrille/tasks.h>
static int x, y;
static void inner(void *argument)
{
    int local = *(int *)argument;
    x = local;
    thrille_isolated_begin();
    y += 1;
    thrille_isolated_end();
}
static void outer(void *argument)
{
    thrille_async(inner, argument);
    thrille_isolated_begin();
    y += 1;
    thrille_isolated_end();
}
int main(void)
{
    shmem_init();
    volatile int seen;
    int one = 1;
    thrille_finish_begin();
    thrille_async(outer, &one);
    thrille_sync(); /* for outer, not for inner */
    thrille_finish_end();
    seen = x;
    (void)seen;
    shmem_finalize();
    return 0;
}
