//! Calls that only work on memory of the caller: their buffers are accesses like any other.

use crate::mpi::call::{Buffer, SUCCESS, Shared, call, calls};
use crate::mpi::callbacks;
use crate::mpi::datatypes::{Layout, layout};
use mpi_sys::{MPI_Aint, MPI_Comm, MPI_Count, MPI_Datatype, MPI_Info, MPI_Op};
use rustc_hash::FxHashMap;
use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;
use thrille_model::{Act, Kind};

fn elements(at: *const c_void, n: impl Into<i64>, ty: MPI_Datatype, kind: Kind) -> Buffer {
    Buffer { at: at as u64, count: n.into().max(0) as u64, layout: layout(ty), kind, act: Act::LibraryCall }
}

/// The packed bytes between two positions.
fn packed(at: *const c_void, from: i64, to: i64, kind: Kind) -> Buffer {
    let len = u64::try_from(to - from).unwrap_or(0);
    let layout = Arc::new(Layout::bytes(len, 0));
    Buffer { at: (at as u64).wrapping_add_signed(from), count: 1, layout, kind, act: Act::LibraryCall }
}

/// Runs a call that moves a position, and tells its buffers by the positions before and after.
fn moving<const N: usize, P: Copy + TryInto<i64>>(
    position: *const P,
    buffers: impl FnOnce(i64, i64) -> [Buffer; N],
    real: impl FnOnce() -> c_int,
) -> c_int {
    let Some(mut call) = call() else { return real() };
    // SAFETY: the program's variable, each time it is asked for.
    let at = || unsafe { *position }.try_into().unwrap_or(0);
    let from = at();
    if call.confirms() {
        // How far it will go is not known yet; it will not be nowhere.
        for buffer in &buffers(from, from + 1) {
            call.touch(buffer);
        }
        return real();
    }
    let result = real();
    if result == SUCCESS {
        call.issue();
        for buffer in &buffers(from, at()) {
            call.touch(buffer);
        }
    }
    result
}

/// Runs a call that combines two buffers.
fn combining(from: &Buffer, into: &Buffer, real: impl FnOnce() -> c_int) -> c_int {
    let Some(mut call) = call() else { return real() };
    call.issue();
    call.touch(from);
    call.touch(into);
    callbacks::combining(real).0
}

// SAFETY (all rows): each body forwards the program's own arguments.
macro_rules! packing {
    ($n:ty $(, $c:ident)?) => { pastey::paste! { calls! {
        fn [<Pack $($c)?>](
            at: *const c_void, n: $n, ty: MPI_Datatype, into: *mut c_void, len: $n, position: *mut $n, comm: MPI_Comm,
        ), real => {
            moving(position, |from, to| [elements(at, n, ty, Kind::Read), packed(into, from, to, Kind::Write)], real)
        }
        fn [<Unpack $($c)?>](
            at: *const c_void, len: $n, position: *mut $n, into: *mut c_void, n: $n, ty: MPI_Datatype, comm: MPI_Comm,
        ), real => {
            moving(position, |from, to| [packed(at, from, to, Kind::Read), elements(into, n, ty, Kind::Write)], real)
        }
        fn [<Reduce_local $($c)?>](at: *const c_void, into: *mut c_void, n: $n, ty: MPI_Datatype, op: MPI_Op), real => {
            combining(&elements(at, n, ty, Kind::Read), &elements(into, n, ty, Kind::Write), real)
        }
    } } };
}
packing! { c_int }
packing! { MPI_Count, _c }

/// Memory that the library gave to the program: where, and how much.
static GIVEN: Shared<FxHashMap<u64, i64>> = Shared::new();

calls! {
    fn Alloc_mem(size: MPI_Aint, info: MPI_Info, base: *mut c_void), real => {
        let result = real();
        if result == SUCCESS {
            // SAFETY: the program's pointer, which the library has written.
            let at = unsafe { *base.cast::<u64>() };
            GIVEN.with(|given| given.insert(at, size as i64));
        }
        result
    }
    fn Free_mem(base: *mut c_void), real => {
        if let Some(len) = GIVEN.with(|given| given.remove(&(base as u64)))
            && let Some(mut call) = call()
        {
            call.issue();
            call.touch(&packed(base, 0, len, Kind::Write));
        }
        real()
    }
    fn Get_address(at: *const c_void, into: *mut MPI_Aint), real => {
        if let Some(mut call) = call() {
            call.issue();
            call.touch(&packed(into.cast(), 0, size_of::<MPI_Aint>() as i64, Kind::Write));
        }
        real()
    }
    fn Pack_external(
        form: *const c_char, at: *const c_void, n: c_int, ty: MPI_Datatype, into: *mut c_void, len: MPI_Aint, position: *mut MPI_Aint,
    ), real => {
        moving(position, |from, to| [elements(at, n, ty, Kind::Read), packed(into, from, to, Kind::Write)], real)
    }
    fn Unpack_external(
        form: *const c_char, at: *const c_void, len: MPI_Aint, position: *mut MPI_Aint, into: *mut c_void, n: c_int, ty: MPI_Datatype,
    ), real => {
        moving(position, |from, to| [packed(at, from, to, Kind::Read), elements(into, n, ty, Kind::Write)], real)
    }
}
