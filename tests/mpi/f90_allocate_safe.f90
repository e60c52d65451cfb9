! thrille: n=2
! flush completes the put before the barrier.
program f90_allocate
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none
  type(c_ptr) :: base
  real(8), pointer, asynchronous :: a(:)
  real(8), asynchronous :: v
  integer :: win, me, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Win_allocate(64_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, base, win, ierr)
  call c_f_pointer(base, a, [8])
  a = me
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Win_lock_all(0, win, ierr)
  if (me == 0) then
     v = 5
     call MPI_Put(v, 1, MPI_REAL8, 1, 3_MPI_ADDRESS_KIND, 1, MPI_REAL8, win, ierr)
     call MPI_Win_flush(1, win, ierr)
  end if
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (me == 1) v = sum(a)
  call MPI_Win_unlock_all(win, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program f90_allocate
