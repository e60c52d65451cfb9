! thrille: n=2
! use mpi: flush completes the first put before the second.
module data
  implicit none
  integer(8), save, target, asynchronous :: x(4)
  integer(8), save, asynchronous :: from = 1
  integer(8), volatile, save :: seen
end module data

program f90_put_put
  use mpi
  use data
  implicit none
  integer :: win, ierr
  integer :: me

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Win_create(x, 32_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_lock_all(0, win, ierr)
  if (me == 0) then
     call MPI_Put(from, 1, MPI_INTEGER8, 1, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER8, win, ierr)
     call MPI_Win_flush(1, win, ierr)
     call MPI_Put(from, 1, MPI_INTEGER8, 1, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER8, win, ierr)
  end if
  call MPI_Win_unlock_all(win, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program f90_put_put
