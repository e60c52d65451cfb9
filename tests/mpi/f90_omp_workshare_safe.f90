! thrille: n=2
! use mpi: workshare ends with a barrier.
program f90_omp_workshare
  use mpi
  use omp_lib
  implicit none
  real(8), save :: x(60), y(60)
  integer :: me, win, ierr, i, provided
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Win_create(x, 480_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  !$omp parallel num_threads(3) private(i)
  !$omp workshare
  x = 2
  !$omp end workshare
  !$omp do schedule(static)
  do i = 1, 60
     y(i) = x(61 - i)
  end do
  !$omp end do
  !$omp end parallel
  call MPI_Win_fence(0, win, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program f90_omp_workshare
