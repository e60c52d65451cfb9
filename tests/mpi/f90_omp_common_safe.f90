! thrille: n=2
! use mpi: a common block that is threadprivate: each thread counts for itself.
subroutine add(i)
  implicit none
  integer, intent(in) :: i
  integer :: count
  common /tally/ count
  !$omp threadprivate(/tally/)
  count = count + i
end subroutine add

program f90_omp_common
  use mpi
  use omp_lib
  implicit none
  integer :: count
  common /tally/ count
  !$omp threadprivate(/tally/)
  integer :: ierr, provided, i
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
  count = 0
  !$omp parallel do num_threads(3) copyin(/tally/)
  do i = 1, 12
     call add(i)
  end do
  !$omp end parallel do
  call MPI_Finalize(ierr)
end program f90_omp_common
