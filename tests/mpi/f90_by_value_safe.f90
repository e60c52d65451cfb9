! thrille: n=2
! A result of derived type and a dummy argument with the attribute value, next to where another rank puts.
module vectors
   implicit none
   type vector
      double precision :: x(3)
   end type
   interface operator(+)
      module procedure add
   end interface
contains
   function add(a, b) result(c)
      type(vector), intent(in) :: a, b
      type(vector) :: c
      c%x = a%x + b%x
   end function
   function norm(a) result(n)
      type(vector), value :: a
      double precision :: n
      n = sum(a%x)
   end function
end module

program by_value
   use mpi
   use vectors
   implicit none
   type(vector), save :: shared(4)
   type(vector) :: origin, one
   double precision :: n
   integer :: me, win, ierr
   integer(kind=MPI_ADDRESS_KIND) :: length, at
   call MPI_Init(ierr)
   call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
   length = 96
   call MPI_Win_create(shared, length, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
   origin%x = 1
   one%x = 2
   n = 0
   call MPI_Win_fence(0, win, ierr)
   if (me == 1) then
      at = 24
      call MPI_Put(origin%x, 24, MPI_BYTE, 0, at, 24, MPI_BYTE, win, ierr)
      at = 48
      call MPI_Put(origin%x, 24, MPI_BYTE, 0, at, 24, MPI_BYTE, win, ierr)
   else
      shared(1) = one + origin
      n = norm(shared(4))
   end if
   call MPI_Win_fence(0, win, ierr)
   if (n < 0) print *, n
   call MPI_Win_free(win, ierr)
   call MPI_Finalize(ierr)
end program
