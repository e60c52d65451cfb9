#ifndef SHIFT_H
#define SHIFT_H

#include <mpi.h>

/* Puts a value into the first element of the next rank's window. */
void shift(double value, int to, MPI_Win win);

#endif
