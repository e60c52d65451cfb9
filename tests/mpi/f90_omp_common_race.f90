! thrille: n=2
! use mpi: every thread counts in one common block; what the statement loads is on its own line, though gfortran names another.
subroutine add(i)
  implicit none
  integer, intent(in) :: i
  integer :: count
  common /tally/ count
  count = count + i ! race: a a
end subroutine add

program f90_omp_common
  use mpi
  use omp_lib
  implicit none
  integer :: count
  common /tally/ count
  integer :: ierr, provided, i
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
  count = 0
  !$omp parallel do num_threads(3)
  do i = 1, 12
     call add(i)
  end do
  !$omp end parallel do
  call MPI_Finalize(ierr)
end program f90_omp_common
