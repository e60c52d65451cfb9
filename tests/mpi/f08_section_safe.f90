! thrille: n=2
! Every second element is written out, and x(4) is none of them.
program f08_section
  use mpi_f08
  implicit none
  integer, asynchronous :: x(8), from(8)
  type(MPI_Win) :: win
  integer :: me
  character(80) :: text
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  x = 0
  from = me + 1
  call MPI_Win_create(x, 32_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  call MPI_Win_fence(0, win)
  if (me == 0) call MPI_Put(from, 1, MPI_INTEGER, 1, 3_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
  if (me == 1) write (text, *) x(1:8:2)
  call MPI_Win_fence(0, win)
  call MPI_Win_free(win)
  call MPI_Finalize()
end program f08_section
