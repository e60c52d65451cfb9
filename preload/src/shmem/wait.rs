//! Wait and test: who saw an update comes after it.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use crate::shmem::call::{Call, Target, call, calls};
use crate::shmem::{library, unused, words};
use crate::{sampled, uncounted};
use std::ffi::{c_int, c_long};
use thrille_model::{Act, Ctx, Kind};

/// Begins a wait or test of several variables: the ones that count are looked at.
fn begin<T>(ivars: *const T, nelems: usize, status: *const c_int) -> Option<Call> {
    let mut call = call()?;
    call.issue();
    library::help();
    let me = Target { ctx: Ctx(0), pe: call.me() };
    for i in included(nelems, status) {
        let ivar = ivars.wrapping_add(i);
        call.touch(ivar.cast(), size_of::<T>(), Kind::Await, Act::Wait);
        call.part(ivar, me).into_iter().for_each(words::awaits);
    }
    Some(call)
}

/// An integer that can be waited for.
trait Waited: Copy {
    fn wide(self) -> i128;
}

macro_rules! waited {
    ($($ty:ty)*) => { $( impl Waited for $ty { fn wide(self) -> i128 { self as i128 } } )* };
}
waited! { i16 u16 i32 u32 i64 u64 isize usize }

/// The value that a variable which counts up from 0 must have reached at the least.
fn least(cmp: c_int, value: i128) -> Option<u64> {
    let least = match cmp {
        EQ | GE => value,
        GT => value + 1,
        NE if value == 0 => 1,
        _ => return None,
    };
    // Other libraries number their comparisons otherwise.
    u64::try_from(least).ok().filter(|_| library::is_embedded())
}

/// The comparisons of `shmem.h`.
const EQ: c_int = 1;
const NE: c_int = 2;
const GT: c_int = 3;
const GE: c_int = 4;

/// What was waited for: of every variable the same, or of each another value.
trait Until<T>: Copy {
    fn of(self, which: usize) -> T;
}

impl<T: Waited> Until<T> for T {
    fn of(self, _which: usize) -> T {
        self
    }
}

impl<T: Waited> Until<T> for *const T {
    fn of(self, which: usize) -> T {
        // SAFETY: the program's array has as many elements as there are variables.
        unsafe { *self.add(which) }
    }
}

/// Tells that a variable was waited for until it had reached a value. Between the library's look at it and ours it may have changed once
/// more; then the later value is taken for what was seen, which can only order more.
fn saw<T: Waited>(call: &mut Call, ivar: *const T, least: Option<u64>) {
    let me = Target { ctx: Ctx(0), pe: call.me() };
    if let Some(part) = call.part(ivar, me).filter(|_| !uncounted::is_dark()) {
        let known = call.knows(part.word);
        // SAFETY: the program's own variable, which others change as long as the counter is not locked.
        let value = || u64::try_from(unsafe { ivar.read_volatile() }.wide()).unwrap_or(u64::MAX);
        let Some(mut locked) = words::lock(part) else { return };
        if sampled::is_sampled(call.o.block) && locked.is_doubtful(value()) {
            return uncounted::saw_unknown();
        }
        let seen = locked.reached(value(), least, known);
        drop(locked);
        call.observe(seen, known);
    }
}

fn included(nelems: usize, status: *const c_int) -> impl Iterator<Item = usize> {
    // SAFETY: the program's array has as many elements as there are variables.
    (0..nelems).filter(move |&i| status.is_null() || unsafe { *status.add(i) } == 0)
}

/// A comparison with what was waited for.
#[derive(Clone, Copy)]
struct Condition<U>(c_int, U);

impl<U> Condition<U> {
    fn least<T: Waited>(self, which: usize) -> Option<u64>
    where
        U: Until<T>,
    {
        least(self.0, self.1.of(which).wide())
    }
}

fn saw_all<T: Waited>(
    call: Option<Call>,
    ivars: *const T,
    nelems: usize,
    status: *const c_int,
    until: Condition<impl Until<T>>,
) {
    let Some(mut call) = call else { return };
    for i in included(nelems, status) {
        saw(&mut call, ivars.wrapping_add(i), until.least(i));
    }
}

fn saw_one<T: Waited>(
    call: Option<Call>,
    ivars: *const T,
    nelems: usize,
    which: usize,
    until: Condition<impl Until<T>>,
) {
    if let (Some(mut call), true) = (call, which < nelems) {
        saw(&mut call, ivars.wrapping_add(which), until.least(which));
    }
}

fn saw_some<T: Waited>(
    call: Option<Call>,
    ivars: *const T,
    indices: *const usize,
    count: usize,
    until: Condition<impl Until<T>>,
) {
    let Some(mut call) = call else { return };
    for i in 0..count {
        // SAFETY: the library has written that many indices into the program's array.
        let which = unsafe { *indices.add(i) };
        saw(&mut call, ivars.wrapping_add(which), until.least(which));
    }
}

// SAFETY (all rows): each body forwards the program's own arguments.
macro_rules! several {
    ($ty:ty, $value:ty, $wait_all:ident, $wait_any:ident, $wait_some:ident, $all:ident, $any:ident, $some:ident) => { pastey::paste! { calls! {
        fn $wait_all(ivars: *mut $ty, nelems: usize, status: *const c_int, cmp: c_int, value: $value) {
            let call = begin(ivars, nelems, status);
            unsafe { [<pshmem_ $wait_all>](ivars, nelems, status, cmp, value) };
            saw_all(call, ivars, nelems, status, Condition(cmp, value));
        }
        fn $wait_any(ivars: *mut $ty, nelems: usize, status: *const c_int, cmp: c_int, value: $value) -> usize {
            let call = begin(ivars, nelems, status);
            let which = unsafe { [<pshmem_ $wait_any>](ivars, nelems, status, cmp, value) };
            saw_one(call, ivars, nelems, which, Condition(cmp, value));
            which
        }
        fn $wait_some(ivars: *mut $ty, nelems: usize, indices: *mut usize, status: *const c_int, cmp: c_int, value: $value) -> usize {
            let call = begin(ivars, nelems, status);
            let count = unsafe { [<pshmem_ $wait_some>](ivars, nelems, indices, status, cmp, value) };
            saw_some(call, ivars, indices, count, Condition(cmp, value));
            count
        }
        fn $all(ivars: *mut $ty, nelems: usize, status: *const c_int, cmp: c_int, value: $value) -> c_int {
            let call = begin(ivars, nelems, status);
            let yes = unsafe { [<pshmem_ $all>](ivars, nelems, status, cmp, value) };
            saw_all(call.filter(|_| yes != 0), ivars, nelems, status, Condition(cmp, value));
            yes
        }
        fn $any(ivars: *mut $ty, nelems: usize, status: *const c_int, cmp: c_int, value: $value) -> usize {
            let call = begin(ivars, nelems, status);
            let which = unsafe { [<pshmem_ $any>](ivars, nelems, status, cmp, value) };
            saw_one(call, ivars, nelems, which, Condition(cmp, value));
            which
        }
        fn $some(ivars: *mut $ty, nelems: usize, indices: *mut usize, status: *const c_int, cmp: c_int, value: $value) -> usize {
            let call = begin(ivars, nelems, status);
            let count = unsafe { [<pshmem_ $some>](ivars, nelems, indices, status, cmp, value) };
            saw_some(call, ivars, indices, count, Condition(cmp, value));
            count
        }
    } } };
}

macro_rules! one {
    ($ty:ty, $wait:ident, $test:ident) => {
        pastey::paste! { calls! {
            fn $wait(ivar: *mut $ty, cmp: c_int, value: $ty) {
                let call = begin(ivar, 1, std::ptr::null());
                unsafe { [<pshmem_ $wait>](ivar, cmp, value) };
                saw_one(call, ivar, 1, 0, Condition(cmp, value));
            }
            fn $test(ivar: *mut $ty, cmp: c_int, value: $ty) -> c_int {
                let call = begin(ivar, 1, std::ptr::null());
                let yes = unsafe { [<pshmem_ $test>](ivar, cmp, value) };
                saw_one(call.filter(|_| yes != 0), ivar, 1, 0, Condition(cmp, value));
                yes
            }
        } }
    };
}

macro_rules! typed {
    ($name:ident, $ty:ty) => { pastey::paste! {
        one! { $ty, [<$name _wait_until>], [<$name _test>] }
        several! { $ty, $ty, [<$name _wait_until_all>], [<$name _wait_until_any>], [<$name _wait_until_some>], [<$name _test_all>], [<$name _test_any>], [<$name _test_some>] }
        several! { $ty, *const $ty, [<$name _wait_until_all_vector>], [<$name _wait_until_any_vector>], [<$name _wait_until_some_vector>], [<$name _test_all_vector>], [<$name _test_any_vector>], [<$name _test_some_vector>] }
    } };
}
p2p_types! { typed }

macro_rules! old_wait {
    ($($name:ident, $ty:ty;)*) => { pastey::paste! { calls! { $(
        fn $name(ivar: *mut $ty, value: $ty) {
            let call = begin(ivar, 1, std::ptr::null());
            unsafe { [<pshmem_ $name>](ivar, value) };
            saw_one(call, ivar, 1, 0, Condition(NE, value));
        }
    )* } } };
}
old_wait! { short_wait, i16; int_wait, i32; long_wait, c_long; longlong_wait, i64; wait, c_long; }

calls! {
    fn wait_until(ivar: *mut c_long, cmp: c_int, value: c_long) {
        let call = begin(ivar, 1, std::ptr::null());
        unsafe { pshmem_wait_until(ivar, cmp, value) };
        saw_one(call, ivar, 1, 0, Condition(cmp, value));
    }
    fn signal_wait_until(sig_addr: *mut u64, cmp: c_int, cmp_value: u64) -> u64 {
        let call = begin(sig_addr, 1, std::ptr::null());
        let value = unsafe { pshmem_signal_wait_until(sig_addr, cmp, cmp_value) };
        if let Some(mut call) = call {
            saw(&mut call, sig_addr, least(cmp, cmp_value.into()));
            // What it returns is what it has seen as well, if anybody looks at it.
            if !unsafe { unused::is_unused(call.o.pc) } {
                saw(&mut call, sig_addr, Some(value));
            }
        }
        value
    }
}
