/* thrille: n=2 */
/* The barrier orders the constructor on PE 1 before the put of PE 0. */
#include <new>
#include <shmem.h>

struct Cell {
    long value;
    explicit Cell(long start) : value(start) {}
};

int main()
{
    shmem_init();
    int me = shmem_my_pe();
    void *block = shmem_malloc(sizeof(Cell));
    Cell *cell = static_cast<Cell *>(block);
    if (me == 1)
        new (block) Cell(3);
    shmem_barrier_all();
    if (me == 0)
        shmem_long_p(&cell->value, 4, 1);
    shmem_free(block);
    shmem_finalize();
    return 0;
}
