//! Files: their buffers are used for the time of the call, until the request is complete, or until the call that ends what another one began. Who
//! reads what another one wrote is not followed: the file system does not tell.

use crate::mpi::call::{Buffer, SUCCESS, Shared, call, calls, raw};
use crate::mpi::collectives::begin;
use crate::mpi::p2p::{arrived, buffer};
use crate::mpi::requests::{self, Pending, Statuses};
use mpi_sys::{MPI_Datatype, MPI_File, MPI_Offset, MPI_Request, MPI_Status};
use rustc_hash::FxHashMap;
use std::ffi::{c_int, c_void};
use thrille_model::{Ctx, Kind};

/// A call that is over when it returns. What is read from a file may be less than was asked for.
fn blocking(buffer: &Buffer, status: *mut MPI_Status, real: impl FnOnce(*mut MPI_Status) -> c_int) -> c_int {
    let Some(mut call) = call() else { return real(status) };
    call.issue();
    if buffer.kind == Kind::Read || call.confirms() {
        call.touch(buffer);
        return real(status);
    }
    let mut statuses = Statuses::new(status, 1);
    let result = real(statuses.pass());
    if result == SUCCESS {
        arrived(&mut call, buffer, &statuses.get(0));
    }
    result
}

/// A call that goes on behind a request.
fn nonblocking(buffer: Buffer, request: *mut MPI_Request, real: impl FnOnce() -> c_int) -> c_int {
    let Some(mut call) = call() else { return real() };
    let mut pending = Pending::default();
    begin(&mut call, &[buffer], &mut pending);
    let result = real();
    requests::begun(&mut call, request, pending, result);
    result
}

/// What was begun on a file and not ended: at most one at a time.
static BEGUN: Shared<FxHashMap<u64, Vec<Ctx>>> = Shared::new();

/// The first half of a call.
fn first_half(file: MPI_File, buffer: Buffer, real: impl FnOnce() -> c_int) -> c_int {
    let Some(mut call) = call() else { return real() };
    let mut pending = Pending::default();
    begin(&mut call, &[buffer], &mut pending);
    BEGUN.with(|begun| begun.insert(raw(file), pending.scopes));
    real()
}

/// The second half.
fn second_half(file: MPI_File, real: impl FnOnce() -> c_int) -> c_int {
    let Some(mut call) = call() else { return real() };
    let scopes = BEGUN.with(|begun| begun.remove(&raw(file))).unwrap_or_default();
    for &ctx in &scopes {
        call.completing(ctx);
    }
    let result = real();
    for ctx in scopes {
        call.quiet(ctx);
    }
    result
}

// SAFETY (all rows): each body forwards the program's own arguments, or a status of our own where it wants none.
macro_rules! files {
    ($kind:ident $at:ty: here $($here:ident)*; there $($there:ident)*; later $($later:ident)*; later_there $($later_there:ident)*; halves $($half:ident)*; halves_there $($half_there:ident)*;) => { pastey::paste! { calls! {
        $(fn $here(file: MPI_File, at: $at, n: c_int, ty: MPI_Datatype, status: *mut MPI_Status), real => {
            // SAFETY: as said above, here and below.
            blocking(&buffer(at, n, ty, Kind::$kind), status, |s| unsafe { [<real_ $here>](file, at, n, ty, s) })
        })*
        $(fn $there(file: MPI_File, offset: MPI_Offset, at: $at, n: c_int, ty: MPI_Datatype, status: *mut MPI_Status), real => {
            // SAFETY: as above.
            blocking(&buffer(at, n, ty, Kind::$kind), status, |s| unsafe { [<real_ $there>](file, offset, at, n, ty, s) })
        })*
        $(fn $later(file: MPI_File, at: $at, n: c_int, ty: MPI_Datatype, request: *mut MPI_Request), real => {
            nonblocking(buffer(at, n, ty, Kind::$kind), request, real)
        })*
        $(fn $later_there(file: MPI_File, offset: MPI_Offset, at: $at, n: c_int, ty: MPI_Datatype, request: *mut MPI_Request), real => {
            nonblocking(buffer(at, n, ty, Kind::$kind), request, real)
        })*
        $(fn [<$half _begin>](file: MPI_File, at: $at, n: c_int, ty: MPI_Datatype), real => {
            first_half(file, buffer(at, n, ty, Kind::$kind), real)
        })*
        $(fn [<$half_there _begin>](file: MPI_File, offset: MPI_Offset, at: $at, n: c_int, ty: MPI_Datatype), real => {
            first_half(file, buffer(at, n, ty, Kind::$kind), real)
        })*
        $(fn [<$half _end>](file: MPI_File, at: $at, status: *mut MPI_Status), real => { second_half(file, real) })*
        $(fn [<$half_there _end>](file: MPI_File, at: $at, status: *mut MPI_Status), real => { second_half(file, real) })*
    } } };
}
files! {
    Read *const c_void:
    here File_write File_write_all File_write_shared File_write_ordered;
    there File_write_at File_write_at_all;
    later File_iwrite File_iwrite_all File_iwrite_shared;
    later_there File_iwrite_at File_iwrite_at_all;
    halves File_write_all File_write_ordered;
    halves_there File_write_at_all;
}
files! {
    Write *mut c_void:
    here File_read File_read_all File_read_shared File_read_ordered;
    there File_read_at File_read_at_all;
    later File_iread File_iread_all File_iread_shared;
    later_there File_iread_at File_iread_at_all;
    halves File_read_all File_read_ordered;
    halves_there File_read_at_all;
}
