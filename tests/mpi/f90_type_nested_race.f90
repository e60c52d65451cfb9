! thrille: n=2
! A contiguous type of a type made by MPI_Type_create_f90_real: the put of two elements meets the load of the second one (11.3.1, 17.1.9).
program f90_type_nested
  use mpi
  implicit none
  integer, parameter :: dp = selected_real_kind(15)
  real(dp) :: x(4), from(2)
  real(dp), volatile :: seen
  integer :: win, me, ierr, base, pair
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  x = 0
  from = 1
  call MPI_Type_create_f90_real(15, MPI_UNDEFINED, base, ierr)
  call MPI_Type_contiguous(2, base, pair, ierr)
  call MPI_Type_commit(pair, ierr)
  call MPI_Win_create(x, 32_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  if (me == 0) call MPI_Put(from, 1, pair, 1, 0_MPI_ADDRESS_KIND, 1, pair, win, ierr) ! race: a
  if (me == 1) seen = x(2) ! race: a
  call MPI_Win_fence(0, win, ierr)
  call MPI_Type_free(pair, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program f90_type_nested
