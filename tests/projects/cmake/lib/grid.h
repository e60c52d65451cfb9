#pragma once
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Adds one to all inner cells. */
void grid_step(double *cells, int inner);
/* Puts the last inner cell into the right neighbour's first one. */
void grid_right(double *cells, int inner, int to, MPI_Win win);
#ifdef __cplusplus
}
#endif
