! thrille: n=2
! Fortran: a barrier between MPI_Reduce, whose operator's function stores into the window, and the get of that.
module data
  implicit none
  integer(8), save, target, asynchronous :: applied(4)
  integer(8), save, asynchronous :: got
contains
  subroutine add(from, into, n, type)
    integer :: n, type
    integer(8) :: from(n), into(n)
    into = into + from
    applied(1) = n
  end subroutine add
end module data

program f90_op_function
  use mpi
  use data
  implicit none
  integer :: me, win, op, error
  integer(8) :: mine(2), total(2)

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, error)
  call MPI_Win_create(applied, 32_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, error)
  call MPI_Op_create(add, .true., op, error)
  mine = me
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Reduce(mine, total, 2, MPI_INTEGER8, op, 0, MPI_COMM_WORLD, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  if (me == 1) then
     call MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win, error)
     call MPI_Get(got, 1, MPI_INTEGER8, 0, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER8, win, error)
     call MPI_Win_unlock(0, win, error)
  end if
  call MPI_Op_free(op, error)
  call MPI_Win_free(win, error)
  call MPI_Finalize(error)
end program f90_op_function
