/* thrille: n=4 */
/* Each PE stores its flag in an array of every other PE; one flag is not waited for. */
#include <shmem.h>

struct shared {
    long boxes[4];
    int here[4];
};

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    struct shared *mine = shmem_calloc(1, sizeof(*mine));
    struct shared *all[4];
    for (int pe = 0; pe < n; pe++) {
        all[pe] = pe == me ? mine : shmem_ptr(mine, pe);
        if (!all[pe])
            shmem_global_exit(2);
        all[pe]->boxes[me] = me + 1; /* race: a */
    }
    shmem_quiet();
    for (int pe = 0; pe < n; pe++)
        all[pe]->here[me] = 1;
    int done[4] = { 0, 0, 0, 0 };
    done[(me + 1) % n] = 1;
    shmem_int_wait_until_all(mine->here, n, done, SHMEM_CMP_EQ, 1);
    volatile long sum = 0;
    for (int pe = 0; pe < n; pe++)
        sum += mine->boxes[pe]; /* race: a */
    (void)sum;
    shmem_barrier_all();
    shmem_free(mine);
    shmem_finalize();
    return 0;
}
