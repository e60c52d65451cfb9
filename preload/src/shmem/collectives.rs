//! Collectives that move data: each PE's buffers are in use until it returns from the call.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use crate::shmem::call::{Call, Handle, calls};
use crate::shmem::library::team;
use crate::shmem::order::{Group, Role, collective};
use std::ffi::{c_int, c_long, c_void};
use thrille_model::{Act, Kind};

unsafe extern "C" {
    fn pshmem_team_my_pe(team: Handle) -> c_int;
    fn pshmem_my_pe() -> c_int;
}

fn reads(call: &mut Call, at: *const c_void, bytes: usize) {
    call.touch(at, bytes, Kind::Read, Act::Collective);
}

fn writes(call: &mut Call, at: *const c_void, bytes: usize) {
    call.touch(at, bytes, Kind::Write, Act::Collective);
}

/// Strided blocks: `nelems` elements for each member.
fn strided(call: &mut Call, at: *const c_void, stride: isize, count: usize, size: usize, kind: Kind) {
    if stride == 1 {
        call.touch(at, count * size, kind, Act::Collective);
        return;
    }
    for i in 0..count {
        call.touch(at.wrapping_byte_add(i * stride.max(0) as usize * size), size, kind, Act::Collective);
    }
}

/// The members of a set, and whether this PE is the root of a broadcast in it.
struct Members {
    group: Option<Group>,
    size: usize,
    me: i64,
}

impl Members {
    fn team(handle: Handle) -> Self {
        // SAFETY: asks the library about the handle that the program is about to pass to it.
        let me = i64::from(unsafe { pshmem_team_my_pe(handle) });
        Self { group: Group::team(handle), size: team(handle).1.max(0) as usize, me }
    }

    fn active_set(start: c_int, log_stride: c_int, size: c_int) -> Self {
        // SAFETY: a query without arguments.
        let me = unsafe { pshmem_my_pe() } - start;
        let group = Some(Group::active_set(start, log_stride, size));
        Self { group, size: size.max(0) as usize, me: i64::from(me >> log_stride.clamp(0, 31)) }
    }

    fn broadcast<R>(
        &self,
        dest: *const c_void,
        source: *const c_void,
        bytes: usize,
        root: c_int,
        root_copies: bool,
        real: &dyn Fn() -> R,
    ) -> R {
        let is_root = self.me == i64::from(root);
        let role = if is_root { Role::Root } else { Role::Leaf };
        let touch = |call: &mut Call| {
            if is_root {
                reads(call, source, bytes);
            }
            if !is_root || root_copies {
                writes(call, dest, bytes);
            }
        };
        collective(self.group, role, &touch, real)
    }

    fn all_to_all<R>(&self, read: (*const c_void, usize), write: (*const c_void, usize), real: &dyn Fn() -> R) -> R {
        let touch = |call: &mut Call| {
            reads(call, read.0, read.1);
            writes(call, write.0, write.1);
        };
        collective(self.group, Role::Member, &touch, real)
    }

    #[allow(clippy::too_many_arguments, reason = "as the standard has it")]
    fn alltoalls<R>(
        &self,
        dest: *const c_void,
        source: *const c_void,
        dst: isize,
        sst: isize,
        nelems: usize,
        size: usize,
        real: &dyn Fn() -> R,
    ) -> R {
        let count = nelems * self.size;
        let touch = |call: &mut Call| {
            strided(call, source, sst, count, size, Kind::Read);
            strided(call, dest, dst, count, size, Kind::Write);
        };
        collective(self.group, Role::Member, &touch, real)
    }
}

/// What this PE's block of a collect is depends on the others' sizes: known only when it is done. Its own part is a lower bound.
fn collect<R>(members: &Members, dest: *const c_void, source: *const c_void, bytes: usize, real: &dyn Fn() -> R) -> R {
    members.all_to_all((source, bytes), (dest, bytes), real)
}

// SAFETY (all rows): each body forwards the program's own arguments.
macro_rules! team_forms {
    ($size:expr, $broadcast:ident, $collect:ident, $fcollect:ident, $alltoall:ident, $alltoalls:ident) => { pastey::paste! { calls! {
        fn $broadcast(team: Handle, dest: *mut c_void, source: *const c_void, nelems: usize, root: c_int) -> c_int {
            Members::team(team).broadcast(dest, source, nelems * $size, root, true, &|| unsafe { [<pshmem_ $broadcast>](team, dest, source, nelems, root) })
        }
        fn $collect(team: Handle, dest: *mut c_void, source: *const c_void, nelems: usize) -> c_int {
            collect(&Members::team(team), dest, source, nelems * $size, &|| unsafe { [<pshmem_ $collect>](team, dest, source, nelems) })
        }
        fn $fcollect(team: Handle, dest: *mut c_void, source: *const c_void, nelems: usize) -> c_int {
            let members = Members::team(team);
            let bytes = nelems * $size;
            members.all_to_all((source, bytes), (dest, bytes * members.size), &|| unsafe { [<pshmem_ $fcollect>](team, dest, source, nelems) })
        }
        fn $alltoall(team: Handle, dest: *mut c_void, source: *const c_void, nelems: usize) -> c_int {
            let members = Members::team(team);
            let bytes = nelems * $size * members.size;
            members.all_to_all((source, bytes), (dest, bytes), &|| unsafe { [<pshmem_ $alltoall>](team, dest, source, nelems) })
        }
        fn $alltoalls(team: Handle, dest: *mut c_void, source: *const c_void, dst: isize, sst: isize, nelems: usize) -> c_int {
            Members::team(team).alltoalls(dest, source, dst, sst, nelems, $size, &|| unsafe { [<pshmem_ $alltoalls>](team, dest, source, dst, sst, nelems) })
        }
    } } };
}

macro_rules! typed {
    ($name:ident, $ty:ty) => { pastey::paste! {
        team_forms! { size_of::<$ty>(), [<$name _broadcast>], [<$name _collect>], [<$name _fcollect>], [<$name _alltoall>], [<$name _alltoalls>] }
    } };
}
value_types! { typed }
team_forms! { 16, longdouble_broadcast, longdouble_collect, longdouble_fcollect, longdouble_alltoall, longdouble_alltoalls }
team_forms! { 1, broadcastmem, collectmem, fcollectmem, alltoallmem, alltoallsmem }

macro_rules! set_forms {
    ($size:expr, $broadcast:ident, $collect:ident, $fcollect:ident, $alltoall:ident, $alltoalls:ident) => { pastey::paste! { calls! {
        fn $broadcast(dest: *mut c_void, source: *const c_void, nelems: usize, root: c_int, start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
            Members::active_set(start, log_stride, size).broadcast(dest, source, nelems * $size, root, false, &|| unsafe {
                [<pshmem_ $broadcast>](dest, source, nelems, root, start, log_stride, size, psync)
            });
        }
        fn $collect(dest: *mut c_void, source: *const c_void, nelems: usize, start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
            collect(&Members::active_set(start, log_stride, size), dest, source, nelems * $size, &|| unsafe {
                [<pshmem_ $collect>](dest, source, nelems, start, log_stride, size, psync)
            });
        }
        fn $fcollect(dest: *mut c_void, source: *const c_void, nelems: usize, start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
            let members = Members::active_set(start, log_stride, size);
            let bytes = nelems * $size;
            members.all_to_all((source, bytes), (dest, bytes * members.size), &|| unsafe {
                [<pshmem_ $fcollect>](dest, source, nelems, start, log_stride, size, psync)
            });
        }
        fn $alltoall(dest: *mut c_void, source: *const c_void, nelems: usize, start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
            let members = Members::active_set(start, log_stride, size);
            let bytes = nelems * $size * members.size;
            members.all_to_all((source, bytes), (dest, bytes), &|| unsafe {
                [<pshmem_ $alltoall>](dest, source, nelems, start, log_stride, size, psync)
            });
        }
        fn $alltoalls(dest: *mut c_void, source: *const c_void, dst: isize, sst: isize, nelems: usize, start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
            Members::active_set(start, log_stride, size).alltoalls(dest, source, dst, sst, nelems, $size, &|| unsafe {
                [<pshmem_ $alltoalls>](dest, source, dst, sst, nelems, start, log_stride, size, psync)
            });
        }
    } } };
}
set_forms! { 4, broadcast32, collect32, fcollect32, alltoall32, alltoalls32 }
set_forms! { 8, broadcast64, collect64, fcollect64, alltoall64, alltoalls64 }

macro_rules! reductions {
    ($size:expr; $($name:ident)*) => { pastey::paste! { calls! { $(
        fn $name(team: Handle, dest: *mut c_void, source: *const c_void, nreduce: usize) -> c_int {
            let bytes = nreduce * $size;
            Members::team(team).all_to_all((source, bytes), (dest, bytes), &|| unsafe { [<pshmem_ $name>](team, dest, source, nreduce) })
        }
    )* } } };
}

macro_rules! old_reductions {
    ($size:expr; $($name:ident)*) => { pastey::paste! { calls! { $(
        fn $name(dest: *mut c_void, source: *const c_void, nreduce: c_int, start: c_int, log_stride: c_int, size: c_int, work: *mut c_void, psync: *mut c_long) {
            let bytes = nreduce.max(0) as usize * $size;
            Members::active_set(start, log_stride, size).all_to_all((source, bytes), (dest, bytes), &|| unsafe {
                [<pshmem_ $name>](dest, source, nreduce, start, log_stride, size, work, psync)
            });
        }
    )* } } };
}

macro_rules! arithmetic {
    ($name:ident, $ty:ty) => { pastey::paste! {
        reductions! { size_of::<$ty>(); [<$name _sum_reduce>] [<$name _prod_reduce>] [<$name _max_reduce>] [<$name _min_reduce>] }
    } };
}
value_types! { arithmetic }
reductions! { 16; longdouble_sum_reduce longdouble_prod_reduce longdouble_max_reduce longdouble_min_reduce }
reductions! { 8; complexf_sum_reduce complexf_prod_reduce }
reductions! { 16; complexd_sum_reduce complexd_prod_reduce }

macro_rules! bitwise {
    ($($name:ident, $ty:ty;)*) => { pastey::paste! { $(
        reductions! { size_of::<$ty>(); [<$name _and_reduce>] [<$name _or_reduce>] [<$name _xor_reduce>] }
    )* } };
}
bitwise! {
    uchar, u8; ushort, u16; uint, u32; ulong, u64; ulonglong, u64; int8, i8; int16, i16; int32, i32; int64, i64;
    uint8, u8; uint16, u16; uint32, u32; uint64, u64; size, usize;
}

macro_rules! old {
    ($($name:ident, $size:expr => $($op:ident)*;)*) => { pastey::paste! { $(
        old_reductions! { $size; $([<$name _ $op _to_all>])* }
    )* } };
}
old! {
    short, 2 => sum prod max min and or xor;
    int, 4 => sum prod max min and or xor;
    long, 8 => sum prod max min and or xor;
    longlong, 8 => sum prod max min and or xor;
    float, 4 => sum prod max min;
    double, 8 => sum prod max min;
    longdouble, 16 => sum prod max min;
    complexf, 8 => sum prod;
    complexd, 16 => sum prod;
}
