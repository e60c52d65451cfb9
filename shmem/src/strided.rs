//! Strided put and get: element `i` of the source's stride goes to element `i` of the destination's.

use std::ffi::{c_int, c_void};

use crate::ctx::{self, Ctx};
use crate::fail::fail_args;
use crate::rma::copy;
use crate::state::{State, state};

/// Distances between elements, at least 1, counted in elements of `size` bytes.
#[derive(Clone, Copy)]
pub struct Strides {
    pub dest: usize,
    pub source: usize,
    pub size: usize,
}

impl Strides {
    /// Checks what the program passed.
    pub fn new(call: &'static str, dst: isize, sst: isize, size: usize) -> Self {
        for (name, stride) in [("dst", dst), ("sst", sst)] {
            if stride < 1 {
                fail_args(
                    call,
                    format_args!("argument {name} = {stride} is not a stride; use 1 for contiguous elements, or more"),
                )
            }
        }
        Self { dest: dst as usize, source: sst as usize, size }
    }

    /// Bytes from the first to the end of the last of `nelems` elements, at least one, `stride` apart.
    pub fn extent(self, nelems: usize, stride: usize) -> usize {
        (nelems - 1).saturating_mul(stride).saturating_add(1).saturating_mul(self.size)
    }

    /// Copies `nelems` elements.
    ///
    /// # Safety
    /// Both extents must be mapped.
    pub unsafe fn copy(self, from: *const u8, to: *mut u8, nelems: usize) {
        for i in 0..nelems {
            // SAFETY: within the extents, by the caller's promise.
            unsafe { copy(from.add(i * self.source * self.size), to.add(i * self.dest * self.size), self.size) };
        }
    }
}

fn iput(
    call: &'static str,
    state: &State,
    dest: *mut c_void,
    source: *const c_void,
    by: Strides,
    nelems: usize,
    pe: usize,
) {
    if nelems == 0 {
        return;
    }
    let to = state.remote(call, "dest", dest, by.extent(nelems, by.dest), pe);
    // SAFETY: `to` is mapped for its extent; the source is the caller's.
    unsafe { by.copy(source.cast(), to, nelems) }
}

fn iget(
    call: &'static str,
    state: &State,
    dest: *mut c_void,
    source: *const c_void,
    by: Strides,
    nelems: usize,
    pe: usize,
) {
    if nelems == 0 {
        return;
    }
    let from = state.remote(call, "source", source, by.extent(nelems, by.source), pe);
    // SAFETY: `from` is mapped for its extent; the destination is the caller's.
    unsafe { by.copy(from, dest.cast(), nelems) }
}

macro_rules! strided {
    ($size:expr; $($op:ident $name:ident $ctx_name:ident),*) => { export! { $(
        fn $name(dest: *mut c_void, source: *const c_void, dst: isize, sst: isize, nelems: usize, pe: c_int) {
            let state = state(CALL);
            $op(CALL, state, dest, source, Strides::new(CALL, dst, sst, $size), nelems, state.pe(CALL, pe));
        }
        fn $ctx_name(ctx: Ctx, dest: *mut c_void, source: *const c_void, dst: isize, sst: isize, nelems: usize, pe: c_int) {
            let state = state(CALL);
            $op(CALL, state, dest, source, Strides::new(CALL, dst, sst, $size), nelems, ctx::target(CALL, state, ctx, pe));
        }
    )* } };
}

macro_rules! typed {
    ($name:ident, $ty:ty) => { pastey::paste! {
        strided! { size_of::<$ty>(); iput [<$name _iput>] [<ctx_ $name _iput>], iget [<$name _iget>] [<ctx_ $name _iget>] }
    } };
}
rma_types! { typed }

macro_rules! sized {
    ($bits:literal, $ty:ty) => { pastey::paste! {
        strided! { size_of::<$ty>(); iput [<iput $bits>] [<ctx_iput $bits>], iget [<iget $bits>] [<ctx_iget $bits>] }
    } };
}
sized_types! { sized }
