module grid
  integer, save :: counts(10)
contains
  subroutine fill(n)
    integer, intent(in) :: n
    counts(n) = n
  end subroutine
end module
subroutine solve(x)
  use grid
  integer :: x
  call fill(x)
end subroutine
program p
  call solve(3)
end program
