/* Extensions: there are none. */
#include "shmem.h"
