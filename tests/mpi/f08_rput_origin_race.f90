! thrille: n=2
! mpi_f08: the origin buffer of Rput is written before the Wait of its request.
module data
  implicit none
  integer(8), save, target, asynchronous :: x(4)
  integer(8), save, asynchronous :: from = 1
  integer(8), volatile, save :: seen
end module data

program f08_rput_origin
  use mpi_f08
  use data
  implicit none
  type(MPI_Win) :: win
  integer :: me
  type(MPI_Request) :: request

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Win_create(x, 32_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  call MPI_Win_lock_all(0, win)
  if (me == 0) then
     call MPI_Rput(from, 1, MPI_INTEGER8, 1, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER8, win, request) ! race: a
     from = 2 ! race: a
     call MPI_Wait(request, MPI_STATUS_IGNORE)
  end if
  call MPI_Win_unlock_all(win)
  call MPI_Win_free(win)
  call MPI_Finalize()
end program f08_rput_origin
