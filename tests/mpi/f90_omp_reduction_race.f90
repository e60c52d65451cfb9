! thrille: n=2 flags=-fopenmp
! use mpi: a histogram in a shared array.
program f90_omp_reduction
  use mpi
  use omp_lib
  implicit none
  integer, parameter :: bins = 5, n = 100
  integer, save :: x(bins)
  integer :: h(bins), me, win, ierr, i, provided, best
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Win_create(x, 20_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  h = 0
  best = 0
  !$omp parallel do num_threads(3) reduction(max:best)
  do i = 1, n
     h(mod(i, bins) + 1) = h(mod(i, bins) + 1) + 1 ! race: a a
     best = max(best, mod(i * 7, 31))
  end do
  !$omp end parallel do
  h(1) = h(1) + best
  call MPI_Put(h, bins, MPI_INTEGER, 1 - me, 0_MPI_ADDRESS_KIND, bins, MPI_INTEGER, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program f90_omp_reduction
