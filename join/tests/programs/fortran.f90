! What Fortran has: module variables, SAVE, procedures within others that use their variables, arrays that are too large for the stack, OpenMP.
module state
  implicit none
  integer :: total = 0
  real(8), allocatable :: field(:)
contains
  subroutine bump(n)
    integer, intent(in) :: n
    integer, save :: calls = 0
    calls = calls + 1
    total = total + n * calls
  end subroutine
  recursive integer function fib(n) result(f)
    integer, intent(in) :: n
    integer, save :: calls = 0
    calls = calls + 1
    if (n < 2) then
      f = n
    else
      f = fib(n - 1) + fib(n - 2)
    end if
    total = total + mod(calls, 3)
  end function
end module
program main
  use state
  implicit none
  real(8) :: a(300, 300), b(300)
  common /shared/ total_of_rows
  real(8) :: total_of_rows
  integer :: i, j, round
  allocate (field(1000))
  field = 1
  total_of_rows = 0
  do round = 1, 20
    call set(round)
    !$omp parallel do num_threads(2)
    do i = 1, 300
      b(i) = sum(a(:, i)) + field(i)
    end do
    call bump(round)
    call fold(b)
  end do
  write (*, '(i12, i8, f16.3, a)') total, fib(12), total_of_rows, trim(name(3))
contains
  subroutine set(k)
    integer, intent(in) :: k
    do j = 1, 300
      a(:, j) = j * k
      a(j, j) = 0
    end do
  end subroutine
  subroutine fold(row)
    real(8), intent(in) :: row(:)
    integer :: k
    do k = 1, size(row), 7
      total_of_rows = total_of_rows + row(k) / round
    end do
  end subroutine
  function name(k)
    integer, intent(in) :: k
    character(len=10) :: name
    character(len=10), save :: names(3) = ['one       ', 'two       ', 'three     ']
    name = names(k)
  end function
end program
