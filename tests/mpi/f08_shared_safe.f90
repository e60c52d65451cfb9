! thrille: n=2
! A rank stores into the other one's part of a shared window, which is read after the barrier (11.2.3).
program f08_shared
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  type(c_ptr) :: base
  integer(MPI_ADDRESS_KIND) :: bytes
  integer :: unit
  real(8), pointer :: mine(:), theirs(:)
  real(8), volatile :: seen
  type(MPI_Win) :: win
  integer :: me
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Win_allocate_shared(64_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
  call c_f_pointer(base, mine, [8])
  call MPI_Win_shared_query(win, 1 - me, bytes, unit, base)
  call c_f_pointer(base, theirs, [bytes / unit])
  mine = me
  call MPI_Barrier(MPI_COMM_WORLD)
  if (me == 0) theirs(2:4) = [1d0, 2d0, 3d0]
  call MPI_Barrier(MPI_COMM_WORLD)
  if (me == 1) seen = maxval(mine)
  call MPI_Win_free(win)
  call MPI_Finalize()
end program f08_shared
