! Seven points in three dimensions, with the outermost planes of the field exchanged through a window.
module field
  implicit none
  integer, parameter :: n = 96
contains
  subroutine relax(old, new)
    real(8), intent(in) :: old(0:n + 1, 0:n + 1, 0:n + 1)
    real(8), intent(inout) :: new(0:n + 1, 0:n + 1, 0:n + 1)
    integer :: i, j, k
    do k = 1, n
      do j = 1, n
        do i = 1, n
          new(i, j, k) = 0.4d0 * old(i, j, k) + 0.1d0 * (old(i - 1, j, k) + old(i + 1, j, k) &
                         + old(i, j - 1, k) + old(i, j + 1, k) + old(i, j, k - 1) + old(i, j, k + 1))
        end do
      end do
    end do
  end subroutine
  subroutine wrap(f)
    real(8), intent(inout) :: f(0:n + 1, 0:n + 1, 0:n + 1)
    f(0, :, :) = f(n, :, :)
    f(n + 1, :, :) = f(1, :, :)
    f(:, 0, :) = f(:, n, :)
    f(:, n + 1, :) = f(:, 1, :)
  end subroutine
end module
program stencil
  use mpi
  use field
  implicit none
  real(8), allocatable :: a(:, :, :), b(:, :, :)
  integer :: step, ierr, rank, ranks, win
  integer(MPI_ADDRESS_KIND) :: bytes, plane
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  allocate (a(0:n + 1, 0:n + 1, 0:n + 1), b(0:n + 1, 0:n + 1, 0:n + 1))
  a = rank
  a(n / 2, n / 2, n / 2) = 1000
  b = 0
  plane = (n + 2) * (n + 2)
  bytes = 8 * plane * (n + 2)
  call MPI_Win_create(a, bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  do step = 1, 150
    call MPI_Put(a(:, :, n), int(plane), MPI_REAL8, mod(rank + 1, ranks), 0_MPI_ADDRESS_KIND, int(plane), MPI_REAL8, win, ierr)
    call MPI_Put(a(:, :, 1), int(plane), MPI_REAL8, mod(rank + ranks - 1, ranks), plane * (n + 1), int(plane), MPI_REAL8, win, ierr)
    call MPI_Win_fence(0, win, ierr)
    call wrap(a)
    call relax(a, b)
    call relax(b, a)
    call MPI_Win_fence(0, win, ierr)
  end do
  if (rank == 0) write (*, '(es20.12)') sum(a(1:n, 1:n, 1:n))
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program
