#define MARK(name) __asm__ volatile(".globl " #name "\n" #name ":")

__attribute__((noinline)) void sink() { __asm__ volatile("" ::: "memory"); }

namespace ns {
template <class T> __attribute__((noinline)) void work(T) {
  sink(); MARK(mark_work);
}
}

int main() {
  ns::work(1);
  return 0;
}
