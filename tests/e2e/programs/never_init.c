/* Includes shmem.h and calls nothing of it. */
#include <shmem.h>
#include <stdio.h>

int main(void)
{
    puts("hello");
    return 0;
}
