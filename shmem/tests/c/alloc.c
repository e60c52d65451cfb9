/* The symmetric heap: same offsets everywhere, reuse, alignment, realloc, exhaustion. */
#include <shmem.h>
#include <stdint.h>
#include <string.h>
#include "check.h"

static ptrdiff_t offset;

/* Whether the block lies at the same place in every PE's heap: a put to the next PE must arrive in its block. */
static void same_everywhere(long *block) {
    int me = shmem_my_pe(), n = shmem_n_pes();
    shmem_barrier_all();
    shmem_long_p(block, 1000 + me, (me + 1) % n);
    shmem_barrier_all();
    CHECK(*block == 1000 + (me + n - 1) % n);
    shmem_barrier_all();
}

int main(void) {
    shmem_init();
    int me = shmem_my_pe();
    CHECK(shmem_malloc(0) == NULL);
    shmem_free(NULL);

    char *a = shmem_malloc(1000), *b = shmem_malloc(1), *c = shmem_malloc(5000);
    CHECK(a && b && c && a != b && b != c);
    same_everywhere((long *)a);
    same_everywhere((long *)c);
    offset = b - a;
    shmem_barrier_all();
    CHECK(shmem_ptrdiff_g(&offset, 0) == offset);

    /* A freed block is found again, also when it joins its neighbours. */
    shmem_free(b);
    CHECK(shmem_malloc(8) == b);
    shmem_free(a);
    shmem_free(b);
    shmem_free(c);
    CHECK(shmem_malloc(6000) == a);
    shmem_free(a);

    for (size_t align = 8; align <= 1 << 21; align *= 2) {
        char *odd = shmem_malloc(24), *p = shmem_align(align, 100);
        CHECK(p && (uintptr_t)p % align == 0);
        same_everywhere((long *)p);
        shmem_free(odd);
        shmem_free(p);
    }
    CHECK(shmem_align(3, 8) == NULL);

    unsigned char *z = shmem_malloc(4096);
    memset(z, 255, 4096);
    shmem_free(z);
    unsigned char *zero = shmem_calloc(64, 64);
    CHECK(zero == z);
    for (int i = 0; i < 4096; i++) CHECK(zero[i] == 0);
    shmem_free(zero);
    CHECK(shmem_calloc(SIZE_MAX, 2) == NULL);

    long *r = shmem_realloc(NULL, 10 * sizeof(long));
    for (int i = 0; i < 10; i++) r[i] = 10 * me + i;
    long *block = shmem_malloc(64);
    r = shmem_realloc(r, 10000 * sizeof(long));
    CHECK(r);
    for (int i = 0; i < 10; i++) CHECK(r[i] == 10 * me + i);
    same_everywhere(r + 9999);
    CHECK(shmem_realloc(r, 80) == r);
    for (int i = 0; i < 10; i++) CHECK(r[i] == 10 * me + i);
    shmem_free(block);
    CHECK(shmem_realloc(r, 0) == NULL);

    CHECK(shmem_malloc(SIZE_MAX) == NULL);
    CHECK(shmem_malloc(1ul << 40) == NULL);
    char *all = shmem_malloc(8 << 20);
    CHECK(all == a && shmem_malloc(1) == NULL);
    all[(8 << 20) - 1] = 1;
    shmem_free(all);

    void *h = shmem_malloc_with_hints(64, SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE);
    CHECK(h == a);
    shmem_free(h);
    void *s = shmalloc(10);
    s = shrealloc(s, 200);
    CHECK(s == a);
    shfree(s);
    CHECK(shmemalign(256, 10) == a);
    shmem_finalize();
    return 0;
}
