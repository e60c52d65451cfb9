/* Strassen with blocks in Z order: n, base. */
#define MORTON
#include "strassen.c"
