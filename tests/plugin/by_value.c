/* A structure that is passed by value, too large for registers: the call copies it, while another PE puts there. */
#include <shmem.h>

struct point { double x[3]; };
static struct point points[4];

__attribute__((noinline)) static double norm(struct point p)
{
    return p.x[0] + p.x[1] + p.x[2];
}

int main(void)
{
    shmem_init();
    double v = 1, s = 0;
    shmem_barrier_all();
    if (shmem_my_pe() == 0)
        s = norm(points[1]) + norm(points[2]);
    else
        shmem_double_put(&points[1].x[2], &v, 1, 0);
    shmem_barrier_all();
    shmem_finalize();
    return s > 100;
}
