! thrille: n=2
! Complex numbers in a window, each of which is loaded in a statement of its own, next to the one that is put.
program f90_complex
   use mpi
   implicit none
   complex(8), save :: z(4)
   complex(8) :: y, origin
   double precision :: part
   integer :: me, win, ierr
   integer(kind=MPI_ADDRESS_KIND) :: length, at
   call MPI_Init(ierr)
   call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
   length = 64
   at = 2
   part = 0
   origin = (1d0, 2d0)
   y = origin
   call MPI_Win_create(z, length, 16, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
   call MPI_Win_fence(0, win, ierr)
   if (me == 1) then
      call MPI_Put(origin, 1, MPI_DOUBLE_COMPLEX, 0, at, 1, MPI_DOUBLE_COMPLEX, win, ierr)
   else
      part = part + 1
      y = conjg(z(2))
      part = part + 2
      y = y + z(2)**2
      part = part + 3
      part = part + aimag(z(2))
   end if
   call MPI_Win_fence(0, win, ierr)
   if (part + dble(y) < -1d9) print *, y
   call MPI_Win_free(win, ierr)
   call MPI_Finalize(ierr)
end program
