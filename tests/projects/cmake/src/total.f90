! Every rank adds to a total at rank 0 by get and put, which loses updates.
program total
  use mpi
  implicit none
  integer(8), target, asynchronous :: sum, mine
  integer :: win, me, ierr

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  sum = 0
  call MPI_Win_create(sum, 8_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_lock_all(0, win, ierr)
  call MPI_Get(mine, 1, MPI_INTEGER8, 0, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER8, win, ierr) ! race: a
  call MPI_Win_flush(0, win, ierr)
  mine = mine + me
  call MPI_Put(mine, 1, MPI_INTEGER8, 0, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER8, win, ierr) ! race: a, b b
  call MPI_Win_flush(0, win, ierr)
  call MPI_Win_unlock_all(win, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program total
