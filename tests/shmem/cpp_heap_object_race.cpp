/* thrille: n=2 */
/* The constructor on PE 1 writes its fields in symmetric memory while PE 0 puts to one of them. */
#include <new>
#include <shmem.h>

struct Cell {
    long value;
    explicit Cell(long start) : value(start) {} /* race: a */
};

int main()
{
    shmem_init();
    int me = shmem_my_pe();
    void *block = shmem_malloc(sizeof(Cell));
    Cell *cell = static_cast<Cell *>(block);
    if (me == 1)
        new (block) Cell(3);
    if (me == 0)
        shmem_long_p(&cell->value, 4, 1); /* race: a */
    shmem_free(block);
    shmem_finalize();
    return 0;
}
