! thrille: n=2
! use mpi: a read statement from a string of the window after the fence that ends the put.
program f90_internal_read
  use mpi
  implicit none
  character(len=8), save :: line
  character(len=8) :: from
  integer :: me, win, ierr, n
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  write (line, '(i8)') 12345
  call MPI_Win_create(line, 8_MPI_ADDRESS_KIND, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  from = '    4711'
  if (me == 0) call MPI_Put(from, 8, MPI_CHARACTER, 1, 0_MPI_ADDRESS_KIND, 8, MPI_CHARACTER, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  if (me == 1) read (line, '(i8)') n
  call MPI_Win_fence(0, win, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program f90_internal_read
