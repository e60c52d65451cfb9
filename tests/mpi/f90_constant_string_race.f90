! thrille: n=2
! use mpi: a constant string is assigned to a part of a string in the window while a get is under way.
program f90_constant_string
  use mpi
  implicit none
  character(len=16), save :: text(2)
  character(len=8) :: got
  integer :: me, win, ierr
  text = 'hello'
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Win_create(text, 32_MPI_ADDRESS_KIND, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  call MPI_Get(got, 8, MPI_CHARACTER, 1 - me, 16_MPI_ADDRESS_KIND, 8, MPI_CHARACTER, win, ierr) ! race: a
  text(2)(3:5) = 'xyz' ! race: a
  call MPI_Win_fence(0, win, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program f90_constant_string
