//! Collectives that move data: each PE's buffers are in use until it returns from the call. Those that are written must be ready before any member calls.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use crate::shmem::call::{Call, Handle, calls};
use crate::shmem::library::collected;
use crate::shmem::members::Members;
use crate::shmem::order::{Role, Uses, collective};
use std::ffi::{c_int, c_long, c_void};
use thrille_model::{Act, Kind};

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

/// `others`: where this PE writes memory of the other members, from its call on. Their destinations must be ready by then.
fn broadcast<R>(
    members: &Members,
    dest: *const c_void,
    source: *const c_void,
    bytes: usize,
    root: c_int,
    root_copies: bool,
    real: &dyn Fn() -> R,
) -> R {
    let is_root = members.me == i64::from(root);
    let role = if is_root { Role::Root } else { Role::Leaf };
    let own = |call: &mut Call| {
        if is_root {
            reads(call, source, bytes);
        }
        if !is_root || root_copies {
            writes(call, dest, bytes);
        }
    };
    let others = |call: &mut Call| {
        members.write(call, dest, bytes);
        members.flags(call);
    };
    collective(members.group, role, &Uses { own: &own, others: Some(&others), ..Uses::NOTHING }, real)
}

/// Every member's source goes to every other, of whose destination this one's part is the bytes that `part` tells.
fn all_to_all<R>(
    members: &Members,
    read: (*const c_void, usize),
    write: (*const c_void, usize),
    part: Option<(usize, usize)>,
    real: &dyn Fn() -> R,
) -> R {
    let own = |call: &mut Call| {
        reads(call, read.0, read.1);
        writes(call, write.0, write.1);
    };
    let others = |call: &mut Call| {
        if let Some((at, bytes)) = part {
            members.write(call, write.0.wrapping_byte_add(at), bytes);
        }
        members.flags(call);
    };
    collective(members.group, Role::Member, &Uses { own: &own, others: Some(&others), ..Uses::NOTHING }, real)
}

/// The block of this PE among those of all.
fn block(members: &Members, bytes: usize) -> Option<(usize, usize)> {
    usize::try_from(members.me).ok().map(|me| (me * bytes, bytes))
}

/// The result needs every member's source: nobody's destination is written before they have all called.
fn reduction<R>(
    members: &Members,
    dest: *const c_void,
    source: *const c_void,
    bytes: usize,
    real: &dyn Fn() -> R,
) -> R {
    all_to_all(members, (source, bytes), (dest, bytes), None, real)
}

fn fcollect<R>(members: &Members, dest: *const c_void, source: *const c_void, bytes: usize, real: &dyn Fn() -> R) -> R {
    all_to_all(members, (source, bytes), (dest, bytes * members.size), block(members, bytes), real)
}

fn alltoall<R>(members: &Members, dest: *const c_void, source: *const c_void, bytes: usize, real: &dyn Fn() -> R) -> R {
    let all = bytes * members.size;
    all_to_all(members, (source, all), (dest, all), block(members, bytes), real)
}

/// How much of its destination a collect writes depends on the others' sizes: that is known when it is done, and where this PE's block is too, unless it is the
/// first.
fn collect<R>(members: &Members, dest: *const c_void, source: *const c_void, bytes: usize, real: &dyn Fn() -> R) -> R {
    let own = |call: &mut Call| {
        reads(call, source, bytes);
        writes(call, dest, bytes);
    };
    let others = |call: &mut Call| {
        if members.me == 0 {
            members.write(call, dest, bytes);
        }
        members.flags(call);
    };
    let then = |call: &mut Call| {
        if let Some(rest) = collected().checked_sub(bytes).filter(|_| !call.confirms()) {
            writes(call, dest.wrapping_byte_add(bytes), rest);
        }
    };
    collective(members.group, Role::Member, &Uses { own: &own, others: Some(&others), then: &then }, real)
}

/// Strides, in elements of so many bytes.
struct Strided {
    dest: isize,
    source: isize,
    size: usize,
}

fn alltoalls<R>(
    members: &Members,
    dest: *const c_void,
    source: *const c_void,
    by: &Strided,
    nelems: usize,
    real: &dyn Fn() -> R,
) -> R {
    let count = nelems * members.size;
    let own = |call: &mut Call| {
        strided(call, source, by.source, count, by.size, Kind::Read);
        strided(call, dest, by.dest, count, by.size, Kind::Write);
    };
    let others = |call: &mut Call| {
        let stride = by.dest.max(0) as usize * by.size;
        let (first, nelems) = block(members, nelems).unwrap_or_default();
        // Side by side they are one block.
        let (pieces, bytes) = if by.dest == 1 { (1, nelems * by.size) } else { (nelems, by.size) };
        for piece in 0..pieces {
            members.write(call, dest.wrapping_byte_add((first + piece) * stride), bytes);
        }
        members.flags(call);
    };
    collective(members.group, Role::Member, &Uses { own: &own, others: Some(&others), ..Uses::NOTHING }, real)
}

// SAFETY (all rows): each body forwards the program's own arguments.
macro_rules! team_forms {
    ($size:expr, $broadcast:ident, $collect:ident, $fcollect:ident, $alltoall:ident, $alltoalls:ident) => { pastey::paste! { calls! {
        fn $broadcast(team: Handle, dest: *mut c_void, source: *const c_void, nelems: usize, root: c_int) -> c_int {
            broadcast(&Members::team(team), dest, source, nelems * $size, root, true, &|| unsafe { [<pshmem_ $broadcast>](team, dest, source, nelems, root) })
        }
        fn $collect(team: Handle, dest: *mut c_void, source: *const c_void, nelems: usize) -> c_int {
            collect(&Members::team(team), dest, source, nelems * $size, &|| unsafe { [<pshmem_ $collect>](team, dest, source, nelems) })
        }
        fn $fcollect(team: Handle, dest: *mut c_void, source: *const c_void, nelems: usize) -> c_int {
            fcollect(&Members::team(team), dest, source, nelems * $size, &|| unsafe { [<pshmem_ $fcollect>](team, dest, source, nelems) })
        }
        fn $alltoall(team: Handle, dest: *mut c_void, source: *const c_void, nelems: usize) -> c_int {
            alltoall(&Members::team(team), dest, source, nelems * $size, &|| unsafe { [<pshmem_ $alltoall>](team, dest, source, nelems) })
        }
        fn $alltoalls(team: Handle, dest: *mut c_void, source: *const c_void, dst: isize, sst: isize, nelems: usize) -> c_int {
            let by = Strided { dest: dst, source: sst, size: $size };
            alltoalls(&Members::team(team), dest, source, &by, nelems, &|| unsafe { [<pshmem_ $alltoalls>](team, dest, source, dst, sst, nelems) })
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
            broadcast(&Members::active_set(start, log_stride, size, psync), dest, source, nelems * $size, root, false, &|| unsafe {
                [<pshmem_ $broadcast>](dest, source, nelems, root, start, log_stride, size, psync)
            });
        }
        fn $collect(dest: *mut c_void, source: *const c_void, nelems: usize, start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
            collect(&Members::active_set(start, log_stride, size, psync), dest, source, nelems * $size, &|| unsafe {
                [<pshmem_ $collect>](dest, source, nelems, start, log_stride, size, psync)
            });
        }
        fn $fcollect(dest: *mut c_void, source: *const c_void, nelems: usize, start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
            fcollect(&Members::active_set(start, log_stride, size, psync), dest, source, nelems * $size, &|| unsafe {
                [<pshmem_ $fcollect>](dest, source, nelems, start, log_stride, size, psync)
            });
        }
        fn $alltoall(dest: *mut c_void, source: *const c_void, nelems: usize, start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
            alltoall(&Members::active_set(start, log_stride, size, psync), dest, source, nelems * $size, &|| unsafe {
                [<pshmem_ $alltoall>](dest, source, nelems, start, log_stride, size, psync)
            });
        }
        fn $alltoalls(dest: *mut c_void, source: *const c_void, dst: isize, sst: isize, nelems: usize, start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
            let by = Strided { dest: dst, source: sst, size: $size };
            alltoalls(&Members::active_set(start, log_stride, size, psync), dest, source, &by, nelems, &|| unsafe {
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
            reduction(&Members::team(team), dest, source, nreduce * $size, &|| unsafe { [<pshmem_ $name>](team, dest, source, nreduce) })
        }
    )* } } };
}

macro_rules! old_reductions {
    ($size:expr; $($name:ident)*) => { pastey::paste! { calls! { $(
        fn $name(dest: *mut c_void, source: *const c_void, nreduce: c_int, start: c_int, log_stride: c_int, size: c_int, work: *mut c_void, psync: *mut c_long) {
            let bytes = nreduce.max(0) as usize * $size;
            reduction(&Members::active_set(start, log_stride, size, psync), dest, source, bytes, &|| unsafe {
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
