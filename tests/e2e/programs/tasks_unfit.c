/* Task graphs that the task modes do not know: all of them are correct. */
#include <shmem.h>
#include <stdatomic.h>

static int x, y;
static atomic_int ready;

static void depend(void)
{
#pragma omp task depend(out : x) shared(x)
    x = 1;
#pragma omp task depend(in : x) shared(x, y)
    y = x;
}

static void reduction(void)
{
#pragma omp taskgroup task_reduction(+ : x)
    for (int i = 0; i < 4; i++) {
#pragma omp task in_reduction(+ : x)
        x += i;
    }
}

static void acquire(void)
{
#pragma omp task
    {
        x = 1;
        atomic_store_explicit(&ready, 1, memory_order_release);
    }
#pragma omp task
    if (atomic_load_explicit(&ready, memory_order_acquire))
        y = x;
}

int main(void)
{
    shmem_init();
    (void)depend;
    (void)reduction;
    (void)acquire;
#pragma omp parallel
#pragma omp single
#if defined DEPEND
    depend();
#elif defined REDUCTION
    reduction();
#else
    acquire();
#endif
    shmem_finalize();
    return 0;
}
