/* thrille: n=1,2 */
/* Spawn and sync, the sync under a condition: the rounds after it write the elements of those before. */
#include <shmem.h>
#include <thrille/tasks.h>
static int x[8];
int main(void)
{
    shmem_init();
    for (int i = 0; i < 8; i++) {
        thrille::spawn([i] {
            int local = i;
            thrille::spawn([&local] { local += 1; });
            thrille::sync();
            x[i % 4] = local;
        });
        if (i == 3)
            thrille::sync();
    }
    thrille::sync();
    shmem_finalize();
    return 0;
}
