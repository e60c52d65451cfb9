/* thrille: n=1 */
/* Elements of a vector. */
#include <shmem.h>
#include <vector>
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
        std::vector<int> v(8);
        for (int i = 0; i < 8; i++) {
#pragma omp task shared(v) firstprivate(i)
            v[i / 4] = i; /* race: a a */
        }
#pragma omp taskwait
    }
    shmem_finalize();
    return 0;
}
