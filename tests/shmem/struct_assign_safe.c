/* thrille: n=2 */
/* PE 1 assigns to another field than the one PE 0 puts to. */
#include <shmem.h>

struct record {
    long id;
    double value[6];
};

static struct record x;
static const struct record empty;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0)
        shmem_double_p(&x.value[3], 1.5, 1);
    if (me == 1)
        x.id = empty.id;
    shmem_finalize();
    return 0;
}
