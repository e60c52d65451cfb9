/* thrille: n=2 */
/* Sections use memory that each thread has for itself: from the heap, by a slot that it took, or through a pointer to a variable of its own. */
#include <shmem.h>
#include <stdlib.h>

static long slots[2], next;

static void work(long *own, long *slot, long *variable)
{
#pragma omp sections
    {
#pragma omp section
        own[0] = slot[0] = *variable = 1;
#pragma omp section
        own[0] = slot[0] = *variable = 2;
#pragma omp section
        own[0] = slot[0] = *variable = 3;
#pragma omp section
        own[0] = slot[0] = *variable = 4;
    }
}

static void variables(long *variable)
{
#pragma omp sections
    {
#pragma omp section
        *variable = 1;
#pragma omp section
        *variable = 2;
#pragma omp section
        *variable = 3;
#pragma omp section
        *variable = 4;
    }
}

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
    {
        long mine = 0;
        variables(&mine);
    }
#pragma omp parallel num_threads(2)
    {
        long number, variable = 0, *own = malloc(sizeof *own);
#pragma omp atomic capture
        number = next++;
        work(own, &slots[number], &variable);
        free(own);
    }
    shmem_finalize();
    return 0;
}
