! thrille: n=2
! mpi_f08: Wait of the request frees the origin buffer of Rput.
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
     call MPI_Rput(from, 1, MPI_INTEGER8, 1, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER8, win, request)
     call MPI_Wait(request, MPI_STATUS_IGNORE)
     from = 2
  end if
  call MPI_Win_unlock_all(win)
  call MPI_Win_free(win)
  call MPI_Finalize()
end program f08_rput_origin
