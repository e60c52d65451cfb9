#include <shmem.h>
#include <stdint.h>
#include <string.h>

static int table[16];
static uint64_t flag;
static long guard;

static inline int ready(void)
{
    return flag != 0;
}

static void exchange(int *heap, int to)
{
  int v = 1;
  while (!ready()) ;
  shmem_putmem(&table[2], &v, 4, to);
  shmem_atomic_inc(&flag, to);
}

int main(void)
{
  int *heap = shmem_malloc(64);
  char buffer[32], other[32];
  shmem_init();
    table[2] = 1;



  memcpy(buffer + 8, other, 16);

  exchange(heap, 1);
}
