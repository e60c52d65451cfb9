! thrille: n=2 flags=-O2
! use mpi: a window over a subroutine's own array: MPI keeps its address, whatever the interface says, so optimised code still loads and stores (MPI-3.1 17.1.16).
subroutine exchange(me)
  use mpi
  implicit none
  integer, intent(in) :: me
  integer :: x(20), y(10), win, ierr, i, total
  x = me
  y = me + 1
  total = 0
  call MPI_Win_create(x, 80_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_lock_all(0, win, ierr)
  call MPI_Put(y, 10, MPI_INTEGER, 1 - me, 10_MPI_ADDRESS_KIND, 10, MPI_INTEGER, win, ierr)
  call MPI_Win_flush_local(1 - me, win, ierr)
  y(2) = 0
  x(2) = 7
  do i = 1, 10
     total = total + x(i)
  end do
  call MPI_Win_unlock_all(win, ierr)
  if (total < 0) print *, total
  call MPI_Win_free(win, ierr)
end subroutine exchange

program f90_local_window
  use mpi
  implicit none
  integer :: me, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call exchange(me)
  call MPI_Finalize(ierr)
end program f90_local_window
