/* thrille: n=1 */
/* An object with a copy constructor. */
#include <shmem.h>
struct Box {
    int v = 0;
    Box() {}
    Box(const Box &other) : v(other.v) {}
};
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
        Box box;
#pragma omp task firstprivate(box)
        box.v = 1;
        box.v = 2;
#pragma omp taskwait
    }
    shmem_finalize();
    return 0;
}
