! thrille: n=2
! use mpi: a write statement into a string of the window, and a put to the next one.
program f90_internal_write
  use mpi
  implicit none
  character(len=8), save :: lines(4)
  character(len=8) :: from
  integer :: me, win, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  lines = ' '
  call MPI_Win_create(lines, 32_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  from = 'abcdefgh'
  if (me == 0) call MPI_Put(from, 8, MPI_CHARACTER, 1, 2_MPI_ADDRESS_KIND, 8, MPI_CHARACTER, win, ierr)
  if (me == 1) write (lines(2), '(i8)') me
  call MPI_Win_fence(0, win, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program f90_internal_write
