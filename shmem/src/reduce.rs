//! Reductions. The elements are shared out: member `i` reads its part of all sources, combines it in member order and writes
//! the result to all destinations. So every PE gets the same bits, and a reduction in place works, because nobody else
//! touches that part.

use std::ffi::{c_int, c_long, c_void};

use crate::longdouble::LongDouble;
use crate::rma::extent;
use crate::sync::{ActiveSet, Group};
use crate::team;

/// Elements combined at a time.
const BLOCK: usize = 256;

/// Sum and product; integers wrap around.
pub trait Arith: Copy {
    fn sum(self, other: Self) -> Self;
    fn prod(self, other: Self) -> Self;
}

/// Larger and smaller.
pub trait Order: Copy {
    fn larger(self, other: Self) -> Self;
    fn smaller(self, other: Self) -> Self;
}

/// Bitwise operations.
trait Bitwise: Copy {
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
}

macro_rules! integers {
    ($($ty:ty),*) => { $(
        impl Arith for $ty {
            fn sum(self, other: Self) -> Self { self.wrapping_add(other) }
            fn prod(self, other: Self) -> Self { self.wrapping_mul(other) }
        }
        impl Order for $ty {
            fn larger(self, other: Self) -> Self { Ord::max(self, other) }
            fn smaller(self, other: Self) -> Self { Ord::min(self, other) }
        }
        impl Bitwise for $ty {
            fn and(self, other: Self) -> Self { self & other }
            fn or(self, other: Self) -> Self { self | other }
            fn xor(self, other: Self) -> Self { self ^ other }
        }
    )* };
}
integers! { i8, u8, i16, u16, i32, u32, i64, u64, isize, usize }

macro_rules! floats {
    ($($ty:ty),*) => { $(
        impl Arith for $ty {
            fn sum(self, other: Self) -> Self { self + other }
            fn prod(self, other: Self) -> Self { self * other }
        }
        impl Order for $ty {
            fn larger(self, other: Self) -> Self { if self < other { other } else { self } }
            fn smaller(self, other: Self) -> Self { if self > other { other } else { self } }
        }
    )* };
}
floats! { f32, f64 }

/// `float _Complex` and `double _Complex`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Complex<T> {
    re: T,
    im: T,
}

macro_rules! complex {
    ($($ty:ty),*) => { $( impl Arith for Complex<$ty> {
        fn sum(self, other: Self) -> Self {
            Self { re: self.re + other.re, im: self.im + other.im }
        }
        fn prod(self, other: Self) -> Self {
            Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
        }
    } )* };
}
complex! { f32, f64 }

fn reduce<T: Copy>(
    call: &'static str,
    group: &impl Group,
    dest: *mut c_void,
    source: *const c_void,
    nelems: usize,
    op: impl Fn(T, T) -> T,
) {
    group.sync(call);
    let part = nelems.div_ceil(group.size()).next_multiple_of(8);
    let mine = (group.me() * part).min(nelems)..((group.me() + 1) * part).min(nelems);
    let mut block: Vec<T> = Vec::with_capacity(BLOCK.min(mine.len()));
    for start in mine.clone().step_by(BLOCK) {
        let len = BLOCK.min(mine.end - start);
        let remote = |name, addr: *const c_void, member| {
            let at = addr.wrapping_byte_add(start * size_of::<T>());
            group.state().remote(call, name, at, extent(len, size_of::<T>()), group.world(member)).cast::<T>()
        };
        block.clear();
        let first = remote("source", source, 0);
        // SAFETY: `len` elements are mapped there.
        block.extend((0..len).map(|i| unsafe { first.add(i).read_unaligned() }));
        for member in 1..group.size() {
            let other = remote("source", source, member);
            for (i, value) in block.iter_mut().enumerate() {
                // SAFETY: `len` elements are mapped there.
                *value = op(*value, unsafe { other.add(i).read_unaligned() });
            }
        }
        for member in 0..group.size() {
            let to = remote("dest", dest, member);
            // SAFETY: `len` elements are mapped there, and the block is memory of this process.
            unsafe {
                std::ptr::copy_nonoverlapping(block.as_ptr().cast::<u8>(), to.cast::<u8>(), len * size_of::<T>());
            }
        }
    }
    group.sync(call);
}

macro_rules! team_form {
    ($ty:ty; $($name:ident = $op:expr),*) => { export! { $(
        fn $name(team: team::Handle, dest: *mut c_void, source: *const c_void, nreduce: usize) -> c_int {
            reduce::<$ty>(CALL, &*team::get(CALL, team), dest, source, nreduce, $op);
            0
        }
    )* } };
}

macro_rules! set_form {
    ($ty:ty; $($name:ident = $op:expr),*) => { export! { $(
        fn $name(dest: *mut c_void, source: *const c_void, nreduce: c_int, start: c_int, log_stride: c_int, size: c_int, _pwrk: *mut c_void, psync: *mut c_long) {
            let set = ActiveSet::new(CALL, start, log_stride, size, psync);
            reduce::<$ty>(CALL, &set, dest, source, nreduce.max(0) as usize, $op);
        }
    )* } };
}

/// The operations each type supports, as in the standard's table for teams; those for active sets are below.
macro_rules! arith {
    ($name:ident, $ty:ty) => {
        pastey::paste! {
            team_form! { $ty; [<$name _sum_reduce>] = <$ty>::sum, [<$name _prod_reduce>] = <$ty>::prod }
        }
    };
}
macro_rules! order {
    ($name:ident, $ty:ty) => { pastey::paste! {
        team_form! { $ty; [<$name _max_reduce>] = <$ty as Order>::larger, [<$name _min_reduce>] = <$ty as Order>::smaller }
    } };
}
macro_rules! bitwise {
    ($name:ident, $ty:ty) => { pastey::paste! {
        team_form! { $ty; [<$name _and_reduce>] = <$ty>::and, [<$name _or_reduce>] = <$ty>::or, [<$name _xor_reduce>] = <$ty>::xor }
    } };
}
rma_types! { arith }
arith! { complexf, Complex<f32> }
arith! { complexd, Complex<f64> }
rma_types! { order }
bitwise! { uchar, u8 }
bitwise! { ushort, u16 }
bitwise! { uint, u32 }
bitwise! { ulong, u64 }
bitwise! { ulonglong, u64 }
bitwise! { int8, i8 }
bitwise! { int16, i16 }
bitwise! { int32, i32 }
bitwise! { int64, i64 }
bitwise! { uint8, u8 }
bitwise! { uint16, u16 }
bitwise! { uint32, u32 }
bitwise! { uint64, u64 }
bitwise! { size, usize }

macro_rules! set_arith {
    ($($name:ident, $ty:ty;)*) => { pastey::paste! { $(
        set_form! { $ty; [<$name _sum_to_all>] = <$ty>::sum, [<$name _prod_to_all>] = <$ty>::prod }
    )* } };
}
macro_rules! set_order {
    ($($name:ident, $ty:ty;)*) => { pastey::paste! { $(
        set_form! { $ty; [<$name _max_to_all>] = <$ty as Order>::larger, [<$name _min_to_all>] = <$ty as Order>::smaller }
    )* } };
}
macro_rules! set_bitwise {
    ($($name:ident, $ty:ty;)*) => { pastey::paste! { $(
        set_form! { $ty; [<$name _and_to_all>] = <$ty>::and, [<$name _or_to_all>] = <$ty>::or, [<$name _xor_to_all>] = <$ty>::xor }
    )* } };
}
set_arith! { short, i16; int, i32; long, i64; longlong, i64; float, f32; double, f64; longdouble, LongDouble; complexf, Complex<f32>; complexd, Complex<f64>; }
set_order! { short, i16; int, i32; long, i64; longlong, i64; float, f32; double, f64; longdouble, LongDouble; }
set_bitwise! { short, i16; int, i32; long, i64; longlong, i64; }
