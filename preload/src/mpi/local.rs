//! Calls that only work on memory of the caller: their buffers are accesses like any other.

use crate::mpi::call::{Buffer, SUCCESS, call, calls};
use crate::mpi::datatypes::{Layout, layout};
use mpi_sys::{MPI_Comm, MPI_Datatype, MPI_Op};
use std::ffi::{c_int, c_void};
use std::sync::Arc;
use thrille_model::{Act, Kind};

fn elements(at: *const c_void, n: c_int, ty: MPI_Datatype, kind: Kind) -> Buffer {
    Buffer { at: at as u64, count: n.max(0) as u64, layout: layout(ty), kind, act: Act::LibraryCall }
}

/// The packed bytes between two positions.
fn packed(at: *const c_void, from: c_int, to: c_int, kind: Kind) -> Buffer {
    let len = u64::try_from(to - from).unwrap_or(0);
    let layout = Arc::new(Layout::bytes(len, 0));
    Buffer { at: (at as u64).wrapping_add_signed(i64::from(from)), count: 1, layout, kind, act: Act::LibraryCall }
}

/// Runs a call that moves a position, and tells its buffers by the positions before and after.
fn moving<const N: usize>(
    position: *const c_int,
    buffers: impl FnOnce(c_int, c_int) -> [Buffer; N],
    real: impl FnOnce() -> c_int,
) -> c_int {
    let Some(mut call) = call() else { return real() };
    // SAFETY: the program's variable, here and below.
    let from = unsafe { *position };
    if call.confirms() {
        // How far it will go is not known yet; it will not be nowhere.
        for buffer in &buffers(from, from + 1) {
            call.touch(buffer);
        }
        return real();
    }
    let result = real();
    if result == SUCCESS {
        // SAFETY: as above.
        let to = unsafe { *position };
        call.issue();
        for buffer in &buffers(from, to) {
            call.touch(buffer);
        }
    }
    result
}

// SAFETY (all rows): each body forwards the program's own arguments.
calls! {
    fn Pack(
        at: *const c_void, n: c_int, ty: MPI_Datatype, into: *mut c_void, len: c_int, position: *mut c_int, comm: MPI_Comm,
    ), real => {
        moving(position, |from, to| [elements(at, n, ty, Kind::Read), packed(into, from, to, Kind::Write)], real)
    }
    fn Unpack(
        at: *const c_void, len: c_int, position: *mut c_int, into: *mut c_void, n: c_int, ty: MPI_Datatype, comm: MPI_Comm,
    ), real => {
        moving(position, |from, to| [packed(at, from, to, Kind::Read), elements(into, n, ty, Kind::Write)], real)
    }
    fn Reduce_local(at: *const c_void, into: *mut c_void, n: c_int, ty: MPI_Datatype, op: MPI_Op), real => {
        let Some(mut call) = call() else { return real() };
        call.issue();
        call.touch(&elements(at, n, ty, Kind::Read));
        call.touch(&elements(into, n, ty, Kind::Write));
        real()
    }
}
