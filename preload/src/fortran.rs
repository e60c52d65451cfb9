//! gfortran's run-time library: what its input, output, string and array functions read and write are accesses of whoever called them.
//!
//! The compiler leaves to this library what it does not expand in place: `print *, x(1)` hands over the address of `x(1)`. Programs find
//! the functions here first; each notes what is about to be touched and goes on to the library's own.
//!
//! | table | functions |
//! |---|---|
//! | [`transfers!`] | one value of a `read` or `write` statement |
//! | [`entries!`] | arrays of such statements, internal files, temporary copies of array sections |
//! | [`intrinsics`] | intrinsics: of arrays, of strings, and those that ask for the time, random numbers, the command line |
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

mod intrinsics;

use crate::entry::entries;
use crate::loaded;
use crate::rank::{Observed, observe};
use crate::real::Real;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;
use thrille_model::{Act, Kind};

/// The most dimensions that the library knows.
const MAX_RANK: usize = 15;

/// An array as gfortran (8 and later) describes it.
#[repr(C)]
pub struct Descriptor {
    base: *mut c_void,
    offset: isize,
    element: usize,
    version: c_int,
    rank: i8,
    kind: i8,
    attribute: i16,
    span: isize,
    dimensions: [Dimension; MAX_RANK],
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Dimension {
    stride: isize,
    lower: isize,
    upper: isize,
}

impl Descriptor {
    /// Extent and stride, in bytes, of each dimension; none if there is no element.
    fn shape(&self) -> Option<Vec<(isize, isize)>> {
        let rank = usize::try_from(self.rank).unwrap_or(0).min(MAX_RANK);
        let step = if self.span > 0 { self.span } else { self.element.cast_signed() };
        let shape: Vec<(isize, isize)> =
            self.dimensions[..rank].iter().map(|d| (d.upper - d.lower + 1, d.stride * step)).collect();
        (!self.base.is_null() && shape.iter().all(|&(extent, _)| extent > 0)).then_some(shape)
    }

    /// Address and length of each contiguous stretch.
    fn stretches(&self, mut visit: impl FnMut(u64, u64)) {
        let Some(mut shape) = self.shape() else { return };
        // Dimensions that follow each other in memory are one stretch.
        let mut stretch = self.element.cast_signed();
        while let Some(&(extent, stride)) = shape.first()
            && stride == stretch
        {
            stretch *= extent;
            shape.remove(0);
        }
        for at in places(self.base as u64, shape) {
            visit(at, stretch as u64);
        }
    }

    /// Address of each element, in the order that the language has them in.
    fn elements(&self) -> impl Iterator<Item = u64> + use<> {
        let base = self.base as u64;
        self.shape().into_iter().flat_map(move |shape| places(base, shape))
    }
}

/// Where the elements are of an array of this shape that has some; the first dimension is the innermost.
fn places(base: u64, shape: Vec<(isize, isize)>) -> impl Iterator<Item = u64> {
    let mut index = Some(vec![0_isize; shape.len()]);
    std::iter::from_fn(move || {
        let now = index.as_mut()?;
        let at: isize = now.iter().zip(&shape).map(|(i, (_, stride))| i * stride).sum();
        match now.iter().zip(&shape).position(|(i, (extent, _))| i + 1 < *extent) {
            Some(next) => {
                now[..next].fill(0);
                now[next] += 1;
            }
            None => index = None,
        }
        Some(base.wrapping_add_signed(at as i64))
    })
}

/// What a statement is about, as far as it is of interest here: `st_parameter_dt` of the library (8 and later).
#[repr(C)]
pub struct Statement {
    flags: u32,
    unit: i32,
    file: [usize; 8],
    records: *const Descriptor,
    format: [usize; 4],
    record: *const c_void,
    record_len: usize,
}

impl Statement {
    /// Whether a variable is its file.
    const INTERNAL: u32 = 1 << 14;
    /// The unit of such a file of characters of four bytes.
    const WIDE: i32 = -2;

    /// The first record of its file, if that is a variable: the others need not be reached.
    fn record(&self) -> Option<(*const c_void, usize)> {
        let width = if self.unit == Self::WIDE { 4 } else { 1 };
        (self.flags & Self::INTERNAL != 0).then(|| (self.record, self.record_len.saturating_mul(width)))
    }
}

/// What the program does by a function of the library. The library calls its own functions too.
fn observe_program() -> Option<Observed> {
    static LIBRARY: OnceLock<Vec<(u64, u64)>> = OnceLock::new();
    let observed = observe()?;
    let own = |path: &str| path.rsplit('/').next().is_some_and(|file| file.starts_with("libgfortran.so"));
    let library = LIBRARY.get_or_init(|| {
        loaded::modules().into_iter().filter(|module| own(&module.path)).flat_map(|module| module.ranges).collect()
    });
    (!library.iter().any(|&(low, high)| low <= observed.pc && observed.pc < high)).then_some(observed)
}

/// What a statement does to the variable that is its file: what is written to a record fills it.
unsafe fn touch_record(statement: *const Statement, kind: Kind) {
    // SAFETY: the compiler passes a statement that is complete as far as its flags say.
    if let Some((at, len)) = unsafe { statement.as_ref() }.and_then(Statement::record) {
        touch(at, len, kind);
    }
}

fn touch(at: *const c_void, len: usize, kind: Kind) {
    if let Some(mut o) = observe_program()
        && len > 0
        && !at.is_null()
    {
        o.touch(at as u64, len as u64, kind, Act::LibraryCall);
    }
}

/// All elements of an array.
unsafe fn touch_array(array: *const Descriptor, kind: Kind) {
    let Some(mut o) = observe_program() else { return };
    // SAFETY: the compiler passes descriptors that are complete as far as their rank says.
    let Some(array) = (unsafe { array.as_ref() }) else { return };
    array.stretches(|at, len| o.touch(at, len, kind, Act::LibraryCall));
}

/// Calls the library's function of this name: whatever arguments it has, they fit into six registers.
macro_rules! forward {
    ($name:ident ($($arg:expr),*)) => {{
        static REAL: Real = Real::new(concat!("_gfortran_", stringify!($name), "\0").as_bytes());
        match REAL.get() {
            // A program that has no such library does not call this.
            0 => 0,
            address => {
                forward!(@call address $($arg),*)
            }
        }
    }};
    (@call $address:ident $a:expr) => { forward!(@call $address $a, 0, 0, 0, 0, 0) };
    (@call $address:ident $a:expr, $b:expr) => { forward!(@call $address $a, $b, 0, 0, 0, 0) };
    (@call $address:ident $a:expr, $b:expr, $c:expr, $d:expr) => { forward!(@call $address $a, $b, $c, $d, 0, 0) };
    (@call $address:ident $a:expr, $b:expr, $c:expr, $d:expr, $e:expr, $f:expr) => {
        // SAFETY: a function of the C calling convention with at most six integer arguments; registers that it does not use do no harm.
        unsafe {
            std::mem::transmute::<usize, unsafe extern "C" fn(usize, usize, usize, usize, usize, usize) -> usize>($address)(
                $a as usize, $b as usize, $c as usize, $d as usize, $e as usize, $f as usize,
            )
        }
    };
}

/// Values of a statement: `write` statements read them, `read` statements write them. The size of each by what the compiler passes.
macro_rules! transfers {
    ($( $name:ident ( $size:expr ) )*) => { pastey::paste! { entries! { $(
        _gfortran_ fn [<transfer_ $name>](statement: usize, value: *const c_void, kind: usize, more: usize) -> usize {
            touch(value, ($size as fn(usize) -> usize)(kind), Kind::Write);
            forward!([<transfer_ $name>](statement, value, kind, more))
        }
        _gfortran_ fn [<transfer_ $name _write>](statement: usize, value: *const c_void, kind: usize, more: usize) -> usize {
            touch(value, ($size as fn(usize) -> usize)(kind), Kind::Read);
            forward!([<transfer_ $name _write>](statement, value, kind, more))
        }
    )* } } };
}

/// A kind number of the language is a number of bytes, save that the kind of 10 fills 16.
fn bytes(kind: usize) -> usize {
    match kind as u32 {
        10 => 16,
        kind => kind as usize,
    }
}

// SAFETY (all rows): each body forwards the program's own arguments.
transfers! {
    integer(bytes)
    logical(bytes)
    real(bytes)
    real128(bytes)
    complex(|kind| 2 * bytes(kind))
    complex128(|kind| 2 * bytes(kind))
    character(|length| length)
    character_wide(|length| 4 * length)
}

// SAFETY (all rows): the compiler passes descriptors of the arrays; each body forwards the program's own arguments.
entries! {
    _gfortran_ fn st_write(statement: *const Statement) -> usize {
        unsafe { touch_record(statement, Kind::Write) };
        forward!(st_write(statement))
    }
    _gfortran_ fn st_read(statement: *const Statement) -> usize {
        unsafe { touch_record(statement, Kind::Read) };
        forward!(st_read(statement))
    }
    _gfortran_ fn transfer_array(statement: usize, array: *const Descriptor, kind: usize, length: usize) -> usize {
        unsafe { touch_array(array, Kind::Write) };
        forward!(transfer_array(statement, array, kind, length))
    }
    _gfortran_ fn transfer_array_write(statement: usize, array: *const Descriptor, kind: usize, length: usize) -> usize {
        unsafe { touch_array(array, Kind::Read) };
        forward!(transfer_array_write(statement, array, kind, length))
    }
    _gfortran_ fn internal_pack(array: *const Descriptor) -> usize {
        let made = forward!(internal_pack(array));
        // An array that is contiguous already is handed on as it is.
        if unsafe { array.as_ref() }.is_some_and(|array| array.base as usize != made) {
            unsafe { touch_array(array, Kind::Read) };
        }
        made
    }
    _gfortran_ fn internal_unpack(array: *const Descriptor, from: *const c_void) -> usize {
        if unsafe { array.as_ref() }.is_some_and(|array| array.base.cast_const() != from) {
            unsafe { touch_array(array, Kind::Write) };
        }
        forward!(internal_unpack(array, from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(element: usize, dimensions: &[(isize, isize)]) -> Descriptor {
        let none = Dimension { stride: 0, lower: 1, upper: 0 };
        let mut all = [none; MAX_RANK];
        for (slot, &(extent, stride)) in all.iter_mut().zip(dimensions) {
            *slot = Dimension { stride, lower: 1, upper: extent };
        }
        Descriptor {
            base: 1000 as *mut c_void,
            offset: 0,
            element,
            version: 0,
            rank: dimensions.len() as i8,
            kind: 0,
            attribute: 0,
            span: element.cast_signed(),
            dimensions: all,
        }
    }

    fn stretches(element: usize, dimensions: &[(isize, isize)]) -> Vec<(u64, u64)> {
        let mut out = Vec::new();
        array(element, dimensions).stretches(|at, len| out.push((at, len)));
        out
    }

    #[test]
    fn sections_are_exact() {
        assert_eq!(stretches(8, &[(10, 1)]), [(1000, 80)]);
        assert_eq!(stretches(8, &[(4, 1), (3, 4)]), [(1000, 96)]);
        assert_eq!(stretches(4, &[(2, 2), (2, 10)]), [(1000, 4), (1008, 4), (1040, 4), (1048, 4)]);
        assert_eq!(stretches(4, &[(3, -1)]), [(1000, 4), (996, 4), (992, 4)]);
        assert_eq!(stretches(4, &[(2, 1), (2, 5)]), [(1000, 8), (1020, 8)]);
        assert_eq!(stretches(4, &[(0, 1), (2, 5)]), []);
        assert_eq!(stretches(4, &[]), [(1000, 4)]);
    }

    #[test]
    fn elements_are_in_order() {
        let elements = |array: Descriptor| array.elements().collect::<Vec<u64>>();
        assert_eq!(elements(array(4, &[(2, 1), (2, 5)])), [1000, 1004, 1020, 1024]);
        assert_eq!(elements(array(4, &[(3, -1)])), [1000, 996, 992]);
        assert_eq!(elements(array(4, &[])), [1000]);
        assert!(elements(array(4, &[(2, 1), (0, 5)])).is_empty());
    }
}
