! a = b + s * c, over and over, in cache: what the compiler vectorises.
module vectors
  implicit none
  integer, parameter :: n = 4000
contains
  subroutine triad(a, b, c, s)
    real(8), intent(out) :: a(:)
    real(8), intent(in) :: b(:), c(:), s
    integer :: i
    do i = 1, size(a)
      a(i) = b(i) + s * c(i)
    end do
  end subroutine
end module
program triads
  use mpi
  use vectors
  implicit none
  real(8) :: a(n), b(n), c(n)
  integer :: i, ierr
  call MPI_Init(ierr)
  a = 0
  b = 1
  c = 2
  do i = 1, 400000
    call triad(a, b, c, 0.5d0)
    b(mod(i, n) + 1) = a(1)
  end do
  write (*, '(es20.12)') sum(a) + sum(b)
  call MPI_Finalize(ierr)
end program
