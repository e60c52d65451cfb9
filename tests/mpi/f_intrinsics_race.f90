! thrille: n=2
! What gfortran leaves to its run-time library reads the window while puts are under way (11.5.1).
program f_intrinsics
  use mpi
  implicit none
  real(8) :: a(4, 4), from(16), b(4), c(16)
  logical :: mask(4, 4), some(4)
  integer :: k(4), where2(2)
  integer, volatile :: seen
  integer :: win, ierr
  integer :: me
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  a = 0
  from = 1
  mask = .true.
  some = .true.
  k = 1
  call MPI_Win_create(a, 128_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  if (me == 0) call MPI_Put(from, 16, MPI_DOUBLE_PRECISION, 1, 0_MPI_ADDRESS_KIND, 16, MPI_DOUBLE_PRECISION, win, ierr) ! race: a, b, c, d, e, f, g, h, i, j
  if (me == 1) then
    b = maxval(a, dim=1, mask=mask) ! race: a
    b = sum(a, dim=1, mask=mask) ! race: b
    where2 = maxloc(a, mask=mask) ! race: c
    where2 = findloc(a, 3d0) ! race: d
    c = pack(a, .true.) ! race: e
    a = unpack(from, mask, 0d0) ! race: f
    a = cshift(a, k, 1) ! race: g
    k = minloc(a, dim=1, mask=mask) ! race: h
    k = findloc(a, 1d0, dim=1) ! race: i
    b = minval(a, dim=2) ! race: j
  end if
  call MPI_Win_fence(0, win, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program f_intrinsics
