/* thrille: n=2 */
/* PE 1 assigns the whole struct while PE 0 puts to one of its fields. */
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
        shmem_double_p(&x.value[3], 1.5, 1); /* race: a */
    if (me == 1)
        x = empty; /* race: a */
    shmem_finalize();
    return 0;
}
