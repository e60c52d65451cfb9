/* thrille: n=1,2 */
/* Spawn and sync, the sync under a condition: in the rounds after it two tasks share an element. */
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
            x[i / 4 * 2] = local; /* race: a a */
        });
        if (i == 3)
            thrille::sync();
    }
    thrille::sync();
    shmem_finalize();
    return 0;
}
