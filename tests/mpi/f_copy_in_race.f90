! thrille: n=2
! Every second element is handed to a subroutine with an explicit shape: the copy comes back into the window while a get is under way (11.5.1).
program f_copy_in
  use mpi
  implicit none
  real(8) :: x(8)
  real(8), asynchronous :: got
  integer :: win, ierr
  integer :: me
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  x = 1
  got = 0
  call MPI_Win_create(x, 64_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  if (me == 0) call MPI_Get(got, 1, MPI_DOUBLE_PRECISION, 1, 2_MPI_ADDRESS_KIND, 1, MPI_DOUBLE_PRECISION, win, ierr) ! race: a
  if (me == 1) call double(x(1:8:2), 4) ! race: a
  call MPI_Win_fence(0, win, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
contains
  subroutine double(v, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: v(n)
    v = 2 * v
  end subroutine double
end program f_copy_in
