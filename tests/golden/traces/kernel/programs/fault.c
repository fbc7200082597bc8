/* Dies the way it is told, so that the kernel says what it saw. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int total(volatile int *prices, int count) { return prices[count]; }

int main(int argc, char **argv) {
  const char *kind = argc > 1 ? argv[1] : "read";
  if (!strcmp(kind, "read")) return total((int *)0x10, 4);
  if (!strcmp(kind, "write")) { *(volatile int *)0x2a = 1; return 0; }
  if (!strcmp(kind, "jump")) { ((void (*)(void))0x0)(); return 0; }
  if (!strcmp(kind, "protection")) return *(volatile int *)0xdead000000000000ull;
  if (!strcmp(kind, "opcode")) { __asm__ volatile("ud2"); return 0; }
  if (!strcmp(kind, "divide")) { volatile int zero = 0; return 7 / zero; }
  if (!strcmp(kind, "memory")) {
    for (;;) {
      char *piece = malloc(1 << 20);
      if (!piece) return 1;
      memset(piece, 1, 1 << 20);
    }
  }
  return 2;
}
