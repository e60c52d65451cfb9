! thrille: n=2
! use mpi: an atomic update of a real number, and one by max, against plain loads.
program f90_omp_atomic
  use mpi
  implicit none
  real(8), save :: total = 0, largest = 0
  real(8), volatile :: seen
  integer :: ierr, provided, i
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
  !$omp parallel num_threads(3)
  !$omp do
  do i = 1, 12
     !$omp atomic
     total = total + i ! race: a
     !$omp atomic update
     largest = max(largest, real(i, 8)) ! race: b
  end do
  !$omp end do nowait
  !$omp master
  seen = total ! race: a
  seen = largest ! race: b
  !$omp end master
  !$omp end parallel
  call MPI_Finalize(ierr)
end program f90_omp_atomic
