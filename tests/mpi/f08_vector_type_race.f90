! thrille: n=2
! A vector type touches the odd elements, x(5) among them.
program f08_vector_type
  use mpi_f08
  implicit none
  integer, asynchronous :: x(8), from(8)
  type(MPI_Win) :: win
  integer :: me
  type(MPI_Datatype) :: odd
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  x = 0
  from = me + 1
  call MPI_Win_create(x, 32_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  call MPI_Win_fence(0, win)
  call MPI_Type_vector(4, 1, 2, MPI_INTEGER, odd)
  call MPI_Type_commit(odd)
  if (me == 0) call MPI_Put(from, 4, MPI_INTEGER, 1, 0_MPI_ADDRESS_KIND, 1, odd, win) ! race: a
  if (me == 1) x(5) = 1 ! race: a
  call MPI_Win_fence(0, win)
  call MPI_Type_free(odd)
  call MPI_Win_free(win)
  call MPI_Finalize()
end program f08_vector_type
