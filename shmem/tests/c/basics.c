/* Setup, query, put, get, atomics, barrier, quiet and wait in one small program; static data of every kind. */
#include <shmem.h>
#include <string.h>
#include "check.h"

int initialised = 41;
static long zero;
static char big[1 << 20];
static int ring_flag;
double table[3] = {1.0, 2.0, 3.0};
const char *text = "unchanged";

int main(void) {
    static int inside = 7;
    initialised++;
    big[12345] = 'x';
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    CHECK(initialised == 42 && inside == 7 && zero == 0 && big[12345] == 'x' && table[2] == 3.0 && !strcmp(text, "unchanged"));
    CHECK(me == _my_pe() && n == _num_pes());
    int major, minor;
    char name[SHMEM_MAX_NAME_LEN];
    shmem_info_get_version(&major, &minor);
    shmem_info_get_name(name);
    CHECK(major == 1 && minor == 5 && !strcmp(name, SHMEM_VENDOR_STRING));
    int next = (me + 1) % n, prev = (me + n - 1) % n, local;

    CHECK(shmem_pe_accessible(n - 1) && !shmem_pe_accessible(n) && !shmem_pe_accessible(-1));
    CHECK(shmem_addr_accessible(&zero, next) && !shmem_addr_accessible(&local, next));
    CHECK(shmem_ptr(&zero, me) == &zero && shmem_ptr(&zero, n) == NULL && shmem_ptr(&local, me) == NULL);
    CHECK(next == me || shmem_ptr(&zero, next) != &zero);

    shmem_barrier_all();
    zero = 100 + me;
    shmem_barrier_all();
    CHECK(shmem_long_g(&zero, next) == 100 + next);
    CHECK(*(long *)shmem_ptr(&zero, prev) == 100 + prev);
    shmem_barrier_all();
    shmem_long_atomic_add(&zero, 1, 0);
    shmem_quiet();
    shmem_barrier_all();
    if (me == 0) CHECK(zero == 100 + n);

    memset(big, me, sizeof big);
    shmem_barrier_all();
    char *copy = malloc(sizeof big);
    shmem_getmem(copy, big, sizeof big, next);
    for (size_t i = 0; i < sizeof big; i++) CHECK(copy[i] == (char)next);
    shmem_barrier_all();
    memset(copy, me + 50, sizeof big);
    shmem_putmem(big, copy, sizeof big, next);
    shmem_barrier_all();
    for (size_t i = 0; i < sizeof big; i++) CHECK(big[i] == (char)(prev + 50));

    /* Round the ring, one after the other. */
    if (me == 0) {
        shmem_int_p(&ring_flag, 1, next);
        shmem_int_wait_until(&ring_flag, SHMEM_CMP_EQ, n);
    } else {
        shmem_int_wait_until(&ring_flag, SHMEM_CMP_NE, 0);
        shmem_int_p(&ring_flag, ring_flag + 1, next);
    }
    shmem_finalize();
    return 0;
}
