/* thrille: n=1,2 */
/* Each copies, and adds what it has under a critical section. */
#include <shmem.h>
#include <memory>
#include <vector>
struct Tree {
    std::vector<int> values;
    int total = 0;
    void add(int value)
    {
        total += value;
    }
    void each()
    {
        for (std::size_t i = 0; i < values.size(); i++) {
#pragma omp task
            {
                auto copy = std::make_unique<int>(values[i]);
#pragma omp critical
                add(*copy);
            }
        }
#pragma omp taskwait
    }
};
int main(void)
{
    shmem_init();
    Tree tree;
    tree.values = {1, 2, 3};
#pragma omp parallel
#pragma omp single
    tree.each();
    shmem_finalize();
    return 0;
}
