! Conjugate gradients on a sparse matrix of rows of equal length, as in NAS CG: indirect loads.
module sparse
  implicit none
  integer, parameter :: n = 30000, width = 25
  integer :: column(width, n)
  real(8) :: value(width, n)
contains
  subroutine make()
    integer :: i, k
    integer(8) :: seed
    seed = 12345
    do i = 1, n
      do k = 1, width
        seed = mod(seed * 1103515245_8 + 12345_8, 2147483648_8)
        column(k, i) = merge(i, int(mod(seed / 256, int(n, 8))) + 1, k == 1)
        value(k, i) = merge(2d0 * width, -0.5d0, k == 1)
      end do
    end do
  end subroutine
  subroutine product(p, q)
    real(8), intent(in) :: p(n)
    real(8), intent(out) :: q(n)
    integer :: i, k
    real(8) :: s
    do i = 1, n
      s = 0
      do k = 1, width
        s = s + value(k, i) * p(column(k, i))
      end do
      q(i) = s
    end do
  end subroutine
  real(8) function dot(x, y)
    real(8), intent(in) :: x(n), y(n)
    integer :: i
    dot = 0
    do i = 1, n
      dot = dot + x(i) * y(i)
    end do
  end function
  subroutine step(x, r, p, q, rho)
    real(8), intent(inout) :: x(n), r(n), p(n), q(n), rho
    real(8) :: alpha, next
    call product(p, q)
    alpha = rho / (dot(p, q) + 1d-300)
    x = x + alpha * p
    r = r - alpha * q
    next = dot(r, r)
    p = r + (next / (rho + 1d-300)) * p
    rho = next + 1d-30
  end subroutine
end module
program conjugate_gradients
  use mpi
  use sparse
  implicit none
  real(8), allocatable :: x(:), r(:), p(:), q(:)
  real(8) :: rho, all
  integer :: i, ierr
  call MPI_Init(ierr)
  allocate (x(n), r(n), p(n), q(n))
  call make()
  x = 0
  r = 1
  p = 1
  rho = dot(r, r)
  do i = 1, 800
    call step(x, r, p, q, rho)
    if (mod(i, 100) == 0) call MPI_Allreduce(rho, all, 1, MPI_REAL8, MPI_SUM, MPI_COMM_WORLD, ierr)
  end do
  write (*, '(es20.12)') sum(x)
  call MPI_Finalize(ierr)
end program
