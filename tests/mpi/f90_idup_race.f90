! thrille: n=2
! A barrier of a communicator that MPI_Comm_idup made completes no put (11.5.4).
program f90_idup
  use mpi
  implicit none
  integer :: x(4), from
  integer, volatile :: seen
  integer :: win, me, ierr, twin, request
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  x = 0
  from = 1
  call MPI_Win_create(x, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call duplicate(MPI_COMM_WORLD)
  call MPI_Win_lock_all(0, win, ierr)
  if (me == 0) then
    call MPI_Put(from, 1, MPI_INTEGER, 1, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win, ierr) ! race: a
  end if
  call MPI_Barrier(twin, ierr)
  if (me == 1) seen = x(1) ! race: a
  call MPI_Win_unlock_all(win, ierr)
  call MPI_Comm_free(twin, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
contains
  subroutine duplicate(comm)
    integer, intent(in) :: comm
    call MPI_Comm_idup(comm, twin, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  end subroutine duplicate
end program f90_idup
