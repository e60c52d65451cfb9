/* Programs that do something wrong: argument 1 says what. */
#include <shmem.h>
#include <signal.h>
#include <string.h>
#include <thrille_shmem.h>
#include <unistd.h>
#include "check.h"

static long x, y[4];
static int flag;
static void aborted(void) { printf("callback\n"); }

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
#define IS(name) (!strcmp(what, name))
    if (IS("early")) shmem_barrier_all();
    thrille_shmem_on_abort(aborted);
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes(), last = me == n - 1;
    long local = 0;
    printf("started\n");
    if (last) {
        if (IS("pe")) shmem_long_p(&x, 1, n);
        if (IS("negative")) shmem_long_g(&x, -1);
        if (IS("address")) shmem_long_put(&local, &x, 1, 0);
        if (IS("past")) shmem_long_put(&x, &local, 1 << 20, 0);
        if (IS("heap")) shmem_long_put(shmem_ptr(&x, me), &local, (size_t)-1, 0);
        if (IS("misaligned")) shmem_long_atomic_inc((long *)((char *)y + 4), 0);
        if (IS("stride")) shmem_long_iput(y, y, 0, 1, 2, 0);
        if (IS("ctx")) shmem_ctx_quiet((shmem_ctx_t)0x5000);
        if (IS("cmp")) shmem_long_wait_until(&x, 99, 0);
        if (IS("team")) shmem_team_sync(SHMEM_TEAM_INVALID);
        if (IS("unlock")) shmem_clear_lock(&x);
        if (IS("free")) shmem_free(&x);
        if (IS("set")) shmem_barrier(0, 0, n + 1, y);
        if (IS("crash")) raise(SIGSEGV);
        if (IS("global_exit")) shmem_global_exit(7);
        if (IS("fail")) exit(5);
        if (IS("leave")) exit(0);
        if (IS("spin")) shmem_global_exit(8);
    }
    if (IS("malloc")) shmem_malloc(100 + me);
    if (IS("spin"))
        for (;;) usleep(1000);
    if (IS("wait")) {
        if (last) shmem_global_exit(6);
        shmem_int_wait_until(&flag, SHMEM_CMP_EQ, 1);
    }
    if (IS("lock")) {
        if (last) usleep(20000), shmem_global_exit(6);
        shmem_set_lock(&x);
        shmem_set_lock(&x);
    }
    shmem_barrier_all();
    shmem_finalize();
    return IS("result") ? 3 : 0;
}
