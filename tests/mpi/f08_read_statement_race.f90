! thrille: n=2
! A read statement stores into elements that rank 0 gets.
program f08_read_statement
  use mpi_f08
  implicit none
  integer, asynchronous :: x(8), from(8)
  type(MPI_Win) :: win
  integer :: me
  character(40) :: text
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  x = 0
  from = me + 1
  call MPI_Win_create(x, 32_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  call MPI_Win_fence(0, win)
  text = '7 8'
  if (me == 0) call MPI_Get(from, 2, MPI_INTEGER, 1, 2_MPI_ADDRESS_KIND, 2, MPI_INTEGER, win) ! race: a
  if (me == 1) read (text, *) x(3:4) ! race: a
  call MPI_Win_fence(0, win)
  call MPI_Win_free(win)
  call MPI_Finalize()
end program f08_read_statement
