/* Every kind of access that C has, each on bytes of its own that the other rank has put something into: each takes part in a race. */
#include <shmem.h>
#include <stdint.h>
#include <string.h>

struct record {
    char c;
    short s;
    int i;
    long l;
    float f;
    double d;
    unsigned low : 5, high : 7;
    int list[6];
    struct { long a, b, c; } copied, source;
    volatile int watched;
    char text[16];
    _Bool flag;
    void *pointer;
    double row[4][4];
};

static struct record shared;
static long sum;

static void loads(struct record *r)
{
    sum += r->c;
    sum += r->s;
    sum += r->i;
    sum += r->l;
    sum += (long)r->f;
    sum += (long)r->d;
    sum += r->low;
    sum += r->watched;
    sum += r->flag;
    sum += (long)(intptr_t)r->pointer;
    for (int i = 0; i < 6; i++)
        sum += r->list[i];
    for (int i = 0; i < 4; i++)
        sum += (long)r->row[i][1];
}

static void stores(struct record *r, int v)
{
    r->c = (char)v;
    r->s = (short)v;
    r->i += v;
    r->l++;
    r->f = (float)v;
    r->d *= 2;
    r->high = (unsigned)v & 3;
    r->watched = v;
    r->flag = !r->flag;
    r->pointer = r;
    for (int i = 5; i >= 0; i--)
        r->list[i] = v;
    for (int j = 0; j < 4; j += 2)
        r->row[2][j] = v;
    memset(r->text, v, 8);
}

int main(void)
{
    static struct record here;
    shmem_init();
    int other = 1 - shmem_my_pe();
    shmem_barrier_all();
    shmem_putmem(&shared, &here, sizeof shared, other);
    loads(&shared);
    stores(&shared, 3);
    shmem_barrier_all();
    shmem_finalize();
    return sum == 123456;
}
