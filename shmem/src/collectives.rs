//! Collectives that move data. Each PE fetches what it needs from the others between two syncs: after the first, all sources
//! are ready; after the second, all have been read.

use std::cell::Cell;
use std::ffi::{c_int, c_long, c_void};

use crate::fail::fail_args;
use crate::rma::{extent, get};
use crate::strided::Strides;
use crate::sync::{ActiveSet, Group};
use crate::team;

/// Whether the root of a broadcast gets a copy too: in teams it does, in active sets not.
#[derive(Clone, Copy, PartialEq)]
enum Root {
    Copies,
    Keeps,
}

fn broadcast(
    call: &'static str,
    group: &impl Group,
    dest: *mut c_void,
    source: *const c_void,
    bytes: usize,
    root: c_int,
    at_root: Root,
) {
    if root < 0 || root as usize >= group.size() {
        fail_args(
            call,
            format_args!("argument PE_root = {root} is not in the set of PEs; use 0 to {}", group.size() - 1),
        )
    }
    let root = root as usize;
    group.sync(call);
    if group.me() != root || at_root == Root::Copies {
        get(call, group.state(), dest, source, bytes, group.world(root));
    }
    group.sync(call);
}

/// Blocks of all members, one after another, however long each is.
fn collect(call: &'static str, group: &impl Group, dest: *mut c_void, source: *const c_void, bytes: usize) {
    group.post(bytes as u64);
    group.sync(call);
    let mut at = 0usize;
    for member in 0..group.size() {
        let len = group.posted(member) as usize;
        get(call, group.state(), dest.wrapping_byte_add(at), source, len, group.world(member));
        at += len;
    }
    COLLECTED.set(at);
    group.sync(call);
    group.post(0);
}

thread_local! {
    static COLLECTED: Cell<usize> = const { Cell::new(0) };
}

/// How many bytes the last collect of this thread has written.
pub fn collected() -> usize {
    COLLECTED.get()
}

fn fcollect(call: &'static str, group: &impl Group, dest: *mut c_void, source: *const c_void, bytes: usize) {
    group.sync(call);
    for member in 0..group.size() {
        get(call, group.state(), dest.wrapping_byte_add(member * bytes), source, bytes, group.world(member));
    }
    group.sync(call);
}

fn alltoall(call: &'static str, group: &impl Group, dest: *mut c_void, source: *const c_void, bytes: usize) {
    group.sync(call);
    for member in 0..group.size() {
        let (to, from) = (dest.wrapping_byte_add(member * bytes), source.wrapping_byte_add(group.me() * bytes));
        get(call, group.state(), to, from, bytes, group.world(member));
    }
    group.sync(call);
}

fn alltoalls(
    call: &'static str,
    group: &impl Group,
    dest: *mut c_void,
    source: *const c_void,
    by: Strides,
    nelems: usize,
) {
    group.sync(call);
    for member in (0..group.size()).filter(|_| nelems > 0) {
        let to = dest.wrapping_byte_add(member * nelems * by.dest * by.size);
        let from = source.wrapping_byte_add(group.me() * nelems * by.source * by.size);
        let from = group.state().remote(call, "source", from, by.extent(nelems, by.source), group.world(member));
        // SAFETY: the source is mapped for its extent; the destination is the caller's own.
        unsafe { by.copy(from, to.cast(), nelems) };
    }
    group.sync(call);
}

/// The team forms for one element size.
macro_rules! team_forms {
    ($size:expr, $broadcast:ident, $collect:ident, $fcollect:ident, $alltoall:ident, $alltoalls:ident) => { export! {
        fn $broadcast(team: team::Handle, dest: *mut c_void, source: *const c_void, nelems: usize, root: c_int) -> c_int {
            broadcast(CALL, &*team::get(CALL, team), dest, source, extent(nelems, $size), root, Root::Copies);
            0
        }
        fn $collect(team: team::Handle, dest: *mut c_void, source: *const c_void, nelems: usize) -> c_int {
            collect(CALL, &*team::get(CALL, team), dest, source, extent(nelems, $size));
            0
        }
        fn $fcollect(team: team::Handle, dest: *mut c_void, source: *const c_void, nelems: usize) -> c_int {
            fcollect(CALL, &*team::get(CALL, team), dest, source, extent(nelems, $size));
            0
        }
        fn $alltoall(team: team::Handle, dest: *mut c_void, source: *const c_void, nelems: usize) -> c_int {
            alltoall(CALL, &*team::get(CALL, team), dest, source, extent(nelems, $size));
            0
        }
        fn $alltoalls(team: team::Handle, dest: *mut c_void, source: *const c_void, dst: isize, sst: isize, nelems: usize) -> c_int {
            alltoalls(CALL, &*team::get(CALL, team), dest, source, Strides::new(CALL, dst, sst, $size), nelems);
            0
        }
    } };
}

macro_rules! typed {
    ($name:ident, $ty:ty) => { pastey::paste! {
        team_forms! { size_of::<$ty>(), [<$name _broadcast>], [<$name _collect>], [<$name _fcollect>], [<$name _alltoall>], [<$name _alltoalls>] }
    } };
}
rma_types! { typed }

team_forms! { 1, broadcastmem, collectmem, fcollectmem, alltoallmem, alltoallsmem }

/// The active-set forms for one element size.
macro_rules! set_forms {
    ($size:expr, $broadcast:ident, $collect:ident, $fcollect:ident, $alltoall:ident, $alltoalls:ident) => { export! {
        fn $broadcast(dest: *mut c_void, source: *const c_void, nelems: usize, root: c_int, start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
            let set = ActiveSet::new(CALL, start, log_stride, size, psync);
            broadcast(CALL, &set, dest, source, extent(nelems, $size), root, Root::Keeps);
        }
        fn $collect(dest: *mut c_void, source: *const c_void, nelems: usize, start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
            let set = ActiveSet::new(CALL, start, log_stride, size, psync);
            collect(CALL, &set, dest, source, extent(nelems, $size));
        }
        fn $fcollect(dest: *mut c_void, source: *const c_void, nelems: usize, start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
            let set = ActiveSet::new(CALL, start, log_stride, size, psync);
            fcollect(CALL, &set, dest, source, extent(nelems, $size));
        }
        fn $alltoall(dest: *mut c_void, source: *const c_void, nelems: usize, start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
            let set = ActiveSet::new(CALL, start, log_stride, size, psync);
            alltoall(CALL, &set, dest, source, extent(nelems, $size));
        }
        fn $alltoalls(dest: *mut c_void, source: *const c_void, dst: isize, sst: isize, nelems: usize, start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
            let set = ActiveSet::new(CALL, start, log_stride, size, psync);
            alltoalls(CALL, &set, dest, source, Strides::new(CALL, dst, sst, $size), nelems);
        }
    } };
}
set_forms! { 4, broadcast32, collect32, fcollect32, alltoall32, alltoalls32 }
set_forms! { 8, broadcast64, collect64, fcollect64, alltoall64, alltoalls64 }
