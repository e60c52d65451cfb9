! thrille: n=2
! An assignment to the whole array, against a get of it.
program f90_array_assign
  use mpi
  implicit none
  integer, asynchronous :: x(8), from(8)
  integer :: win, me, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  x = 0
  from = me + 1
  call MPI_Win_create(x, 32_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  if (me == 0) call MPI_Get(from, 8, MPI_INTEGER, 1, 0_MPI_ADDRESS_KIND, 8, MPI_INTEGER, win, ierr) ! race: a
  if (me == 1) x = 0 ! race: a
  call MPI_Win_fence(0, win, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program f90_array_assign
