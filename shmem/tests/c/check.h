/* Ends the program when a condition does not hold. */
#include <stdio.h>
#include <stdlib.h>
#define CHECK(x)                                                                                       \
    do {                                                                                               \
        if (!(x)) {                                                                                    \
            fprintf(stderr, "%s:%d: PE %d: %s\n", __FILE__, __LINE__, shmem_my_pe(), #x);              \
            shmem_global_exit(9);                                                                      \
        }                                                                                              \
    } while (0)
