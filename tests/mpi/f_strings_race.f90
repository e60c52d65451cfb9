! thrille: n=2
! String functions read the text of the window while a put is under way (11.5.1).
program f_strings
  use mpi
  implicit none
  character(16) :: text, from, other
  integer :: n
  integer :: win, ierr
  integer :: me
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  text = 'abc'
  from = 'def'
  other = 'x'
  n = 0
  call MPI_Win_create(text, 16_MPI_ADDRESS_KIND, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  if (me == 0) call MPI_Put(from, 16, MPI_CHARACTER, 1, 0_MPI_ADDRESS_KIND, 16, MPI_CHARACTER, win, ierr) ! race: a, b, c
  if (me == 1) then
    n = scan(text, 'xyz') ! race: a
    n = verify(text, 'abc ') ! race: b
    other = max(text, 'xx') ! race: c
  end if
  call MPI_Win_fence(0, win, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program f_strings
