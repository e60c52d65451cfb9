//! Put and get, blocking or not: a copy, complete when it returns.

use std::ffi::{c_int, c_void};

use crate::ctx::{self, Ctx};
use crate::state::{State, state};

/// Copies `bytes` bytes; the usual word sizes in one move, which whoever polls the word sees whole.
///
/// # Safety
/// Both ranges must be mapped. They may overlap.
#[inline]
pub unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: the caller's promise; the moves are unaligned ones.
    unsafe {
        match bytes {
            8 => to.cast::<u64>().write_unaligned(from.cast::<u64>().read_unaligned()),
            4 => to.cast::<u32>().write_unaligned(from.cast::<u32>().read_unaligned()),
            2 => to.cast::<u16>().write_unaligned(from.cast::<u16>().read_unaligned()),
            1 => to.write(from.read()),
            _ => std::ptr::copy(from, to, bytes),
        }
    }
}

/// `nelems` elements of `size` bytes in bytes; what does not fit in the address space is in no segment either.
#[inline]
pub fn extent(nelems: usize, size: usize) -> usize {
    nelems.saturating_mul(size)
}

/// Copies to the PE `pe` of the job.
#[inline]
pub fn put(call: &'static str, state: &State, dest: *mut c_void, source: *const c_void, bytes: usize, pe: usize) {
    if bytes == 0 {
        return;
    }
    let to = state.remote(call, "dest", dest, bytes, pe);
    // SAFETY: `to` is mapped for that length; the source is the caller's.
    unsafe { copy(source.cast(), to, bytes) }
}

/// Copies from the PE `pe` of the job.
#[inline]
pub fn get(call: &'static str, state: &State, dest: *mut c_void, source: *const c_void, bytes: usize, pe: usize) {
    if bytes == 0 {
        return;
    }
    let from = state.remote(call, "source", source, bytes, pe);
    // SAFETY: `from` is mapped for that length; the destination is the caller's.
    unsafe { copy(from, dest.cast(), bytes) }
}

/// The block forms for one element size: with and without context, blocking and not.
macro_rules! block {
    ($size:expr; $($op:ident $name:ident $ctx_name:ident),*) => { pastey::paste! { export! { $(
        fn $name(dest: *mut c_void, source: *const c_void, nelems: usize, pe: c_int) {
            let state = state(CALL);
            $op(CALL, state, dest, source, extent(nelems, $size), state.pe(CALL, pe));
        }
        fn $ctx_name(ctx: Ctx, dest: *mut c_void, source: *const c_void, nelems: usize, pe: c_int) {
            let state = state(CALL);
            $op(CALL, state, dest, source, extent(nelems, $size), ctx::target(CALL, state, ctx, pe));
        }
        fn [<$name _nbi>](dest: *mut c_void, source: *const c_void, nelems: usize, pe: c_int) {
            let state = state(CALL);
            $op(CALL, state, dest, source, extent(nelems, $size), state.pe(CALL, pe));
        }
        fn [<$ctx_name _nbi>](ctx: Ctx, dest: *mut c_void, source: *const c_void, nelems: usize, pe: c_int) {
            let state = state(CALL);
            $op(CALL, state, dest, source, extent(nelems, $size), ctx::target(CALL, state, ctx, pe));
        }
    )* } } };
}

macro_rules! typed {
    ($name:ident, $ty:ty) => {
        pastey::paste! {
            block! { size_of::<$ty>(); put [<$name _put>] [<ctx_ $name _put>], get [<$name _get>] [<ctx_ $name _get>] }
        }
    };
}
rma_types! { typed }

macro_rules! sized {
    ($bits:literal, $ty:ty) => {
        pastey::paste! {
            block! { size_of::<$ty>(); put [<put $bits>] [<ctx_put $bits>], get [<get $bits>] [<ctx_get $bits>] }
        }
    };
}
sized_types! { sized }

block! { 1; put putmem ctx_putmem, get getmem ctx_getmem }

/// The single-element forms.
macro_rules! single {
    ($name:ident, $ty:ty) => { pastey::paste! { export! {
        fn [<$name _p>](dest: *mut $ty, value: $ty, pe: c_int) {
            let state = state(CALL);
            put(CALL, state, dest.cast(), (&raw const value).cast(), size_of::<$ty>(), state.pe(CALL, pe));
        }
        fn [<ctx_ $name _p>](ctx: Ctx, dest: *mut $ty, value: $ty, pe: c_int) {
            let state = state(CALL);
            put(CALL, state, dest.cast(), (&raw const value).cast(), size_of::<$ty>(), ctx::target(CALL, state, ctx, pe));
        }
        fn [<$name _g>](source: *const $ty, pe: c_int) -> $ty {
            let (state, mut value) = (state(CALL), <$ty>::default());
            get(CALL, state, (&raw mut value).cast(), source.cast(), size_of::<$ty>(), state.pe(CALL, pe));
            value
        }
        fn [<ctx_ $name _g>](ctx: Ctx, source: *const $ty, pe: c_int) -> $ty {
            let (state, mut value) = (state(CALL), <$ty>::default());
            get(CALL, state, (&raw mut value).cast(), source.cast(), size_of::<$ty>(), ctx::target(CALL, state, ctx, pe));
            value
        }
    } } };
}
value_types! { single }
