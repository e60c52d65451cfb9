/* The header under its older name. */
#include "../shmem.h"
