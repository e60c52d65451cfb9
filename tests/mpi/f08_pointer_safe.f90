! thrille: n=2
! A window of MPI_Win_allocate by a pointer of two dimensions: the column beside the put's is assigned (11.2.2, 11.5.1).
program f08_pointer
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  type(c_ptr) :: base
  real(8), pointer :: grid(:, :)
  real(8), asynchronous :: from(4)
  type(MPI_Win) :: win
  integer :: me
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  from = me
  call MPI_Win_allocate(128_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
  call c_f_pointer(base, grid, [4, 4])
  grid = 0
  call MPI_Win_fence(0, win)
  if (me == 0) call MPI_Put(from, 4, MPI_DOUBLE_PRECISION, 1, 8_MPI_ADDRESS_KIND, 4, MPI_DOUBLE_PRECISION, win)
  if (me == 1) grid(:, 2) = 2
  call MPI_Win_fence(0, win)
  call MPI_Win_free(win)
  call MPI_Finalize()
end program f08_pointer
