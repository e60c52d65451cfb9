! thrille: n=2 flags=-fopenmp
! use mpi: a ticket by atomic capture that is not used: places are by the iteration.
program f90_omp_capture
  use mpi
  use omp_lib
  implicit none
  integer, save :: x(9), slot(9), next = 1
  integer :: me, win, ierr, i, ticket, provided
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Win_create(x, 36_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  !$omp parallel num_threads(2) private(ticket, i)
  do i = 1, 4
     !$omp atomic capture
     ticket = next
     next = next + 1
     !$omp end atomic
     ticket = i
     slot(ticket) = ticket ! race: a a
  end do
  !$omp end parallel
  call MPI_Put(slot, 9, MPI_INTEGER, 1 - me, 0_MPI_ADDRESS_KIND, 9, MPI_INTEGER, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program f90_omp_capture
