// A label right behind a call is that call's return address. The program prints where `table` lies in the static data, counted as
// shmem/src/statics.rs counts.
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
#include <string.h>

#define MARK(name) __asm__ volatile(".globl " #name "\n" #name ":")

int before[5] = {1, 2, 3, 4, 5};
static long table[8] = {1};
static char zeros[10000];

__attribute__((noinline)) void sink(void) { __asm__ volatile("" ::: "memory"); }

static inline __attribute__((always_inline)) void inner(void) {
  sink(); MARK(mark_inner);
}

__attribute__((noinline)) void outer(void) {
  inner();
  sink();
}

static int visit(struct dl_phdr_info *info, size_t size, void *data) {
  unsigned long lowest = ~0ul, lo = 0, hi = 0;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO) {
      lo = info->dlpi_phdr[i].p_vaddr & ~4095ul;
      hi = (info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz) & ~4095ul;
    }
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_W) {
      unsigned long at = info->dlpi_phdr[i].p_vaddr & ~4095ul;
      if (lo <= at && at < hi) at = hi;
      if (at < lowest) lowest = at;
    }
  *(unsigned long *)data = info->dlpi_addr + lowest;
  return 1;
}

int main(void) {
  unsigned long base;
  outer(); MARK(mark_main);
  dl_iterate_phdr(visit, &base);
  printf("%lu %lu %lu\n", (unsigned long)&before[1] - base, (unsigned long)&table[2] - base, (unsigned long)&zeros[9000] - base);
  return 0;
}
