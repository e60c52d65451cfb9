! thrille: n=2
! use mpi: a put through a vector type against a load of the target. The compiler of MPICH optimises unasked: a load that it would leave out is still one.
program f90_vector_load
   use mpi
   implicit none
   integer :: ierr, me, win, row
   integer(kind=MPI_ADDRESS_KIND) :: bytes, disp
   double precision :: a(4, 4), from(4)
   double precision, volatile :: seen

   call MPI_Init(ierr)
   call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
   a = me
   from = 2
   bytes = 128
   disp = 1
   call MPI_Win_create(a, bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
   call MPI_Type_vector(4, 1, 4, MPI_DOUBLE_PRECISION, row, ierr)
   call MPI_Type_commit(row, ierr)
   call MPI_Win_fence(0, win, ierr)
   if (me == 0) then
      call MPI_Put(from, 4, MPI_DOUBLE_PRECISION, 1, disp, 1, row, win, ierr) ! race: a
   end if
   if (me == 1) then
      seen = a(2, 3) ! race: a
   end if
   call MPI_Win_fence(0, win, ierr)
   call MPI_Type_free(row, ierr)
   call MPI_Win_free(win, ierr)
   call MPI_Finalize(ierr)
end program
