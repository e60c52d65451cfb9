! thrille: n=2
! The target reads between post and wait.
program f08_pscw
  use mpi_f08
  implicit none
  integer, asynchronous :: x(8), from(8)
  type(MPI_Win) :: win
  integer :: me
  type(MPI_Group) :: all, other
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  x = 0
  from = me + 1
  call MPI_Win_create(x, 32_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  call MPI_Comm_group(MPI_COMM_WORLD, all)
  call MPI_Group_incl(all, 1, [1 - me], other)
  if (me == 0) then
     call MPI_Win_start(other, 0, win)
     call MPI_Put(from, 1, MPI_INTEGER, 1, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win) ! race: a
     call MPI_Win_complete(win)
  else
     call MPI_Win_post(other, 0, win)
     from(1) = x(1) ! race: a
     call MPI_Win_wait(win)
  end if
  call MPI_Win_free(win)
  call MPI_Finalize()
end program f08_pscw
