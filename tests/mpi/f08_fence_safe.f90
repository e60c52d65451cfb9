! thrille: n=2
! mpi_f08: rank 1 loads after the fence that completes the put.
module data
  implicit none
  integer(8), save, target, asynchronous :: x(4)
  integer(8), save, asynchronous :: from = 1
  integer(8), volatile, save :: seen
end module data

program f08_fence
  use mpi_f08
  use data
  implicit none
  type(MPI_Win) :: win
  integer :: me

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Win_create(x, 32_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  call MPI_Win_fence(0, win)
  if (me == 0) then
     call MPI_Put(from, 1, MPI_INTEGER8, 1, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER8, win)
  end if
  call MPI_Win_fence(0, win)
  if (me == 1) seen = x(1)
  call MPI_Win_free(win)
  call MPI_Finalize()
end program f08_fence
