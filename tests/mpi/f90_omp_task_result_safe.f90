! thrille: n=2 flags=-O2
! use mpi: the result of a function is assigned to a shared variable by a task, optimised: the line is that of the assignment.
module fibm
contains
  recursive function fib(n) result(r)
    integer, intent(in) :: n
    integer :: r, a, b
    if (n < 2) then
       r = n
       return
    end if
    !$omp task shared(a) firstprivate(n)
    a = fib(n - 1)
    !$omp end task
    b = fib(n - 2)
    !$omp taskwait
    r = a + b
  end function fib
end module fibm
program f90_omp_task_result
  use mpi
  use fibm
  implicit none
  integer :: ierr, prov, f
  call MPI_Init_thread(MPI_THREAD_FUNNELED, prov, ierr)
  !$omp parallel num_threads(3)
  !$omp single
  f = fib(7)
  !$omp end single
  !$omp end parallel
  call MPI_Finalize(ierr)
end program f90_omp_task_result
