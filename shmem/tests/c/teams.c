/* Teams, teams of teams, their contexts, and their identities. */
#include <shmem.h>
#include <thrille_shmem.h>
#include "check.h"

static long value, sum, box[16];
static unsigned long long ids[64];

int main(void) {
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    CHECK(shmem_team_my_pe(SHMEM_TEAM_WORLD) == me && shmem_team_n_pes(SHMEM_TEAM_WORLD) == n);
    CHECK(shmem_team_my_pe(SHMEM_TEAM_SHARED) == me && shmem_team_n_pes(SHMEM_TEAM_SHARED) == n);
    CHECK(shmem_team_my_pe(SHMEM_TEAM_INVALID) == -1 && shmem_team_n_pes(SHMEM_TEAM_INVALID) == -1);
    CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, me, SHMEM_TEAM_SHARED) == me);
    CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, n, SHMEM_TEAM_SHARED) == -1);

    shmem_team_t even, back, none;
    shmem_team_config_t config = {.num_contexts = 3}, got;
    CHECK(!shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (n + 1) / 2, &config, SHMEM_TEAM_NUM_CONTEXTS, &even));
    CHECK((even == SHMEM_TEAM_INVALID) == (me % 2 == 1));
    if (even != SHMEM_TEAM_INVALID) {
        CHECK(shmem_team_my_pe(even) == me / 2 && shmem_team_n_pes(even) == (n + 1) / 2);
        CHECK(!shmem_team_get_config(even, SHMEM_TEAM_NUM_CONTEXTS, &got) && got.num_contexts == 3);
        CHECK(shmem_team_translate_pe(even, me / 2, SHMEM_TEAM_WORLD) == me);
        CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, 1 % n, even) == (n == 1 ? 0 : -1));

        /* PEs of a context are those of its team. */
        shmem_ctx_t ctx;
        shmem_team_t of;
        CHECK(!shmem_team_create_ctx(even, SHMEM_CTX_SERIALIZED, &ctx));
        CHECK(!shmem_ctx_get_team(ctx, &of) && of == even);
        int size = shmem_team_n_pes(even), my = shmem_team_my_pe(even), next = (my + 1) % size;
        shmem_ctx_long_p(ctx, box + my, 100 + my, next);
        shmem_ctx_quiet(ctx);
        shmem_team_sync(even);
        int prev = (my + size - 1) % size;
        CHECK(box[prev] == 100 + prev);
        shmem_ctx_destroy(ctx);

        /* A team of a team, backwards. */
        CHECK(!shmem_team_split_strided(even, size - 1, -1, size, NULL, 0, &back));
        CHECK(shmem_team_my_pe(back) == size - 1 - my);
        CHECK(thrille_shmem_team_world_pe(back, 0) == 2 * (size - 1) && thrille_shmem_team_world_pe(back, size) == -1);
        value = shmem_team_my_pe(back) == 0 ? 77 : -1;
        CHECK(!shmem_long_broadcast(back, &sum, &value, 1, 0) && sum == 77);
        unsigned long long id_even, id_back;
        thrille_shmem_team_id(even, &id_even);
        thrille_shmem_team_id(back, &id_back);
        CHECK(id_even != id_back && id_even > 2 && id_back > 2);
        ids[0] = id_back;
        static unsigned long long all[64];
        CHECK(!shmem_ulonglong_fcollect(back, all, ids, 1));
        for (int i = 0; i < size; i++) CHECK(all[i] == id_back);
        shmem_team_destroy(back);
    }
    shmem_team_destroy(even);
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n + 1, NULL, 0, &none) && none == SHMEM_TEAM_INVALID);
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n, 1, 1, NULL, 0, &none) && none == SHMEM_TEAM_INVALID);
    CHECK(shmem_team_split_strided(SHMEM_TEAM_INVALID, 0, 1, 1, NULL, 0, &none) && none == SHMEM_TEAM_INVALID);

    /* Each half gives the numbers of its own team. */
    shmem_team_t half;
    int mine = (n + 1 - me % 2) / 2;
    CHECK(!shmem_team_split_strided(SHMEM_TEAM_WORLD, me % 2, 2, mine, NULL, 0, &half));
    CHECK(shmem_team_my_pe(half) == me / 2 && shmem_team_n_pes(half) == mine);
    value = me % 2;
    CHECK(!shmem_long_sum_reduce(half, &sum, &value, 1) && sum == me % 2 * mine);
    shmem_team_destroy(half);

    /* Two dimensions, then three. */
    shmem_team_t x, y, xx, xy;
    CHECK(!shmem_team_split_2d(SHMEM_TEAM_WORLD, 3, NULL, 0, &x, NULL, 0, &y));
    CHECK(shmem_team_my_pe(x) == me % 3 && shmem_team_my_pe(y) == me / 3);
    int row = me / 3 * 3;
    CHECK(shmem_team_n_pes(x) == (n - row < 3 ? n - row : 3) && shmem_team_n_pes(y) == (n - me % 3 + 2) / 3);
    CHECK(!shmem_team_split_2d(x, 2, NULL, 0, &xx, NULL, 0, &xy));
    CHECK(shmem_team_my_pe(xx) == me % 3 % 2 && shmem_team_my_pe(xy) == me % 3 / 2);
    value = me;
    CHECK(!shmem_long_sum_reduce(y, &sum, &value, 1));
    long expect = 0;
    for (int i = me % 3; i < n; i += 3) expect += i;
    CHECK(sum == expect);
    CHECK(!shmem_long_sum_reduce(x, &sum, &value, 1));
    expect = 0;
    for (int i = row; i < row + 3 && i < n; i++) expect += i;
    CHECK(sum == expect);
    shmem_team_destroy(xx);
    shmem_team_destroy(xy);
    shmem_team_destroy(x);
    shmem_team_destroy(y);

    /* Slots are given back: more teams than fit at once. Identities never come again. */
    unsigned long long last = 0, now;
    for (int i = 0; i < 1500; i++) {
        shmem_team_t t;
        CHECK(!shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &t) && t != SHMEM_TEAM_INVALID);
        thrille_shmem_team_id(t, &now);
        CHECK(now != last);
        last = now;
        shmem_team_destroy(t);
    }

    shmem_ctx_t c[3];
    for (int i = 0; i < 3; i++) CHECK(!shmem_ctx_create(0, &c[i]));
    unsigned a = thrille_shmem_ctx_id(c[0]), b = thrille_shmem_ctx_id(c[1]);
    CHECK(a && b && a != b && thrille_shmem_ctx_id(SHMEM_CTX_DEFAULT) == 0);
    shmem_ctx_destroy(c[0]);
    CHECK(!shmem_ctx_create(0, &c[0]));
    CHECK(thrille_shmem_ctx_id(c[0]) != a && thrille_shmem_ctx_id(c[0]) != b);
    shmem_team_t t;
    CHECK(shmem_ctx_get_team(SHMEM_CTX_INVALID, &t) && t == SHMEM_TEAM_INVALID);
    CHECK(!shmem_ctx_get_team(SHMEM_CTX_DEFAULT, &t) && t == SHMEM_TEAM_WORLD);
    shmem_ctx_long_p(SHMEM_CTX_DEFAULT, box, 5, me);
    CHECK(box[0] == 5);
    shmem_ctx_fence(c[0]);
    shmem_ctx_destroy(SHMEM_CTX_INVALID);
    for (int i = 0; i < 3; i++) shmem_ctx_destroy(c[i]);
    shmem_finalize();
    return 0;
}
