//! Atomic memory operations: those of the processor, on the mapped word. Sequentially consistent, so stronger than asked.

use std::ffi::c_int;
use std::sync::atomic::{
    AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering::SeqCst,
};

use crate::ctx::{self, Ctx};
use crate::fail::fail_args;
use crate::state::{State, state};

/// A type with atomic operations, and the atomic type that has them.
pub trait Word: Copy {
    type Atomic: 'static;
}

macro_rules! words {
    ($($ty:ty = $atomic:ty),*) => { $( impl Word for $ty { type Atomic = $atomic; } )* };
}
words! { i16 = AtomicI16, u16 = AtomicU16, i32 = AtomicI32, u32 = AtomicU32, i64 = AtomicI64, u64 = AtomicU64, isize = AtomicIsize, usize = AtomicUsize, f32 = AtomicU32, f64 = AtomicU64 }

/// The word at the symmetric address `addr` on the PE `pe` of the job.
#[inline]
pub fn word<T: Word>(
    call: &'static str,
    arg: &'static str,
    state: &State,
    addr: *const T,
    pe: usize,
) -> &'static T::Atomic {
    let at = state.remote(call, arg, addr.cast(), size_of::<T>(), pe);
    if !at.addr().is_multiple_of(size_of::<T>()) {
        fail_args(
            call,
            format_args!(
                "argument {arg} = {addr:p} is not aligned to its {} bytes; atomics need aligned variables",
                size_of::<T>()
            ),
        )
    }
    // SAFETY: mapped for the life of the process, aligned, and every bit pattern is an atomic integer.
    unsafe { &*at.cast::<T::Atomic>() }
}

/// Defines one operation on one type: plain, with context, and, when it fetches, both without waiting for the result.
macro_rules! amo {
    (set $name:ident, $ty:ty, ($($arg:ident),*), $word:ident => $body:expr) => { pastey::paste! { export! {
        fn $name(dest: *mut $ty, $($arg: $ty,)* pe: c_int) {
            let state = state(CALL);
            let $word = word::<$ty>(CALL, "dest", state, dest, state.pe(CALL, pe));
            let _ = $body;
        }
        fn [<ctx_ $name>](ctx: Ctx, dest: *mut $ty, $($arg: $ty,)* pe: c_int) {
            let state = state(CALL);
            let $word = word::<$ty>(CALL, "dest", state, dest, ctx::target(CALL, state, ctx, pe));
            let _ = $body;
        }
    } } };
    (fetch $name:ident, $ty:ty, ($($arg:ident),*), $word:ident => $body:expr) => { pastey::paste! { export! {
        fn $name(dest: *mut $ty, $($arg: $ty,)* pe: c_int) -> $ty {
            let state = state(CALL);
            let $word = word::<$ty>(CALL, "dest", state, dest, state.pe(CALL, pe));
            $body
        }
        fn [<ctx_ $name>](ctx: Ctx, dest: *mut $ty, $($arg: $ty,)* pe: c_int) -> $ty {
            let state = state(CALL);
            let $word = word::<$ty>(CALL, "dest", state, dest, ctx::target(CALL, state, ctx, pe));
            $body
        }
        fn [<$name _nbi>](fetch: *mut $ty, dest: *mut $ty, $($arg: $ty,)* pe: c_int) {
            let state = state(CALL);
            let $word = word::<$ty>(CALL, "dest", state, dest, state.pe(CALL, pe));
            // SAFETY: the caller's variable.
            unsafe { fetch.write($body) };
        }
        fn [<ctx_ $name _nbi>](ctx: Ctx, fetch: *mut $ty, dest: *mut $ty, $($arg: $ty,)* pe: c_int) {
            let state = state(CALL);
            let $word = word::<$ty>(CALL, "dest", state, dest, ctx::target(CALL, state, ctx, pe));
            // SAFETY: the caller's variable.
            unsafe { fetch.write($body) };
        }
    } } };
}

/// Integers and floating-point numbers as the bits that the atomic holds, and back.
trait Bits: Word {
    type Bits;
    fn bits(self) -> Self::Bits;
    fn value(bits: Self::Bits) -> Self;
}

macro_rules! integer_bits {
    ($($ty:ty),*) => { $( impl Bits for $ty {
        type Bits = $ty;
        fn bits(self) -> $ty { self }
        fn value(bits: $ty) -> $ty { bits }
    } )* };
}
integer_bits! { i32, u32, i64, u64, isize, usize }

impl Bits for f32 {
    type Bits = u32;
    fn bits(self) -> u32 {
        self.to_bits()
    }
    fn value(bits: u32) -> f32 {
        f32::from_bits(bits)
    }
}

impl Bits for f64 {
    type Bits = u64;
    fn bits(self) -> u64 {
        self.to_bits()
    }
    fn value(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
}

macro_rules! extended {
    ($name:ident, $ty:ty) => {
        pastey::paste! {
            amo! { fetch [<$name _atomic_fetch>], $ty, (), w => <$ty>::value(w.load(SeqCst)) }
            amo! { set [<$name _atomic_set>], $ty, (value), w => w.store(value.bits(), SeqCst) }
            amo! { fetch [<$name _atomic_swap>], $ty, (value), w => <$ty>::value(w.swap(value.bits(), SeqCst)) }
        }
    };
}
extended_amo_types! { extended }

macro_rules! standard {
    ($name:ident, $ty:ty) => { pastey::paste! {
        amo! { fetch [<$name _atomic_compare_swap>], $ty, (cond, value), w => match w.compare_exchange(cond, value, SeqCst, SeqCst) { Ok(old) | Err(old) => old } }
        amo! { fetch [<$name _atomic_fetch_inc>], $ty, (), w => w.fetch_add(1, SeqCst) }
        amo! { set [<$name _atomic_inc>], $ty, (), w => w.fetch_add(1, SeqCst) }
        amo! { fetch [<$name _atomic_fetch_add>], $ty, (value), w => w.fetch_add(value, SeqCst) }
        amo! { set [<$name _atomic_add>], $ty, (value), w => w.fetch_add(value, SeqCst) }
    } };
}
amo_types! { standard }

macro_rules! bitwise {
    ($name:ident, $ty:ty) => {
        pastey::paste! {
            amo! { fetch [<$name _atomic_fetch_and>], $ty, (value), w => w.fetch_and(value, SeqCst) }
            amo! { set [<$name _atomic_and>], $ty, (value), w => w.fetch_and(value, SeqCst) }
            amo! { fetch [<$name _atomic_fetch_or>], $ty, (value), w => w.fetch_or(value, SeqCst) }
            amo! { set [<$name _atomic_or>], $ty, (value), w => w.fetch_or(value, SeqCst) }
            amo! { fetch [<$name _atomic_fetch_xor>], $ty, (value), w => w.fetch_xor(value, SeqCst) }
            amo! { set [<$name _atomic_xor>], $ty, (value), w => w.fetch_xor(value, SeqCst) }
        }
    };
}
bitwise_amo_types! { bitwise }

/// Defines one operation under its name from before version 1.4.
macro_rules! old {
    ($name:ident, $ty:ty, ($($arg:ident),*) $(-> $ret:ty)?, $word:ident => $body:expr) => { export! {
        fn $name(dest: *mut $ty, $($arg: $ty,)* pe: c_int) $(-> $ret)? {
            let state = state(CALL);
            let $word = word::<$ty>(CALL, "dest", state, dest, state.pe(CALL, pe));
            $body
        }
    } };
}

macro_rules! old_extended {
    ($($name:ident, $ty:ty;)*) => { pastey::paste! { $(
        old! { [<$name _fetch>], $ty, () -> $ty, w => <$ty>::value(w.load(SeqCst)) }
        old! { [<$name _set>], $ty, (value), w => w.store(value.bits(), SeqCst) }
        old! { [<$name _swap>], $ty, (value) -> $ty, w => <$ty>::value(w.swap(value.bits(), SeqCst)) }
    )* } };
}
old_extended! { int, i32; long, i64; longlong, i64; float, f32; double, f64; }

macro_rules! old_standard {
    ($($name:ident, $ty:ty;)*) => { pastey::paste! { $(
        old! { [<$name _cswap>], $ty, (cond, value) -> $ty, w => match w.compare_exchange(cond, value, SeqCst, SeqCst) { Ok(old) | Err(old) => old } }
        old! { [<$name _finc>], $ty, () -> $ty, w => w.fetch_add(1, SeqCst) }
        old! { [<$name _inc>], $ty, (), w => { w.fetch_add(1, SeqCst); } }
        old! { [<$name _fadd>], $ty, (value) -> $ty, w => w.fetch_add(value, SeqCst) }
        old! { [<$name _add>], $ty, (value), w => { w.fetch_add(value, SeqCst); } }
    )* } };
}
old_standard! { int, i32; long, i64; longlong, i64; }
