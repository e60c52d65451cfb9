! thrille: n=2
! mpi_f08: statements that go on for several lines have the line that they begin in.
program f08_continued
  use mpi_f08
  implicit none
  integer, asynchronous :: memory(4)
  integer :: mine, me
  integer, volatile :: seen
  type(MPI_Win) :: win
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  memory = 0
  mine = me
  call MPI_Win_create(memory, int(16, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, &
       MPI_COMM_WORLD, win)
  call MPI_Win_fence(0, win)
  call MPI_Put(mine, 1, MPI_INTEGER, & ! race: a
       1 - me, 1_MPI_ADDRESS_KIND, &
       ! how many arrive
       1, MPI_INTEGER, win)
  seen = memory(1) & ! race: a
       + memory(2) &
       + memory(3)
  call MPI_Win_fence(0, win)
  call MPI_Win_free(win)
  call MPI_Finalize()
end program f08_continued
