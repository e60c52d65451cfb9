//! Wait and test: who saw an update comes after it.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use crate::shmem::call::{Call, Target, call, calls};
use crate::shmem::{library, words};
use std::ffi::{c_int, c_long, c_void};
use thrille_model::{Act, Ctx, Kind};

/// Begins a wait or test of several variables: the ones that count are looked at.
fn begin<T>(ivars: *const T, nelems: usize, status: *const c_int) -> Option<Call> {
    let mut call = call()?;
    call.issue();
    library::help();
    for i in included(nelems, status) {
        call.touch(ivars.wrapping_add(i).cast(), size_of::<T>(), Kind::Await, Act::Wait);
    }
    Some(call)
}

/// Tells that the present value of a variable was waited for. Between the library's look at it and ours the value may have changed once
/// more; then the later one is taken for what was seen, which can only order more.
fn saw<T>(call: &mut Call, ivar: *const T) {
    let me = Target { ctx: Ctx(0), pe: call.me() };
    if let Some(word) = call.word(ivar.cast::<c_void>(), me) {
        let known = call.knows(word);
        let version = words::lock(word).map(|mut counted| counted.version_beyond(known));
        if let Some(version) = version {
            call.observe(word, version, known);
        }
    }
}

fn included(nelems: usize, status: *const c_int) -> impl Iterator<Item = usize> {
    // SAFETY: the program's array has as many elements as there are variables.
    (0..nelems).filter(move |&i| status.is_null() || unsafe { *status.add(i) } == 0)
}

fn saw_all<T>(call: Option<Call>, ivars: *const T, nelems: usize, status: *const c_int) {
    let Some(mut call) = call else { return };
    for i in included(nelems, status) {
        saw(&mut call, ivars.wrapping_add(i));
    }
}

fn saw_one<T>(call: Option<Call>, ivars: *const T, nelems: usize, which: usize) {
    if let (Some(mut call), true) = (call, which < nelems) {
        saw(&mut call, ivars.wrapping_add(which));
    }
}

fn saw_some<T>(call: Option<Call>, ivars: *const T, indices: *const usize, count: usize) {
    let Some(mut call) = call else { return };
    for i in 0..count {
        // SAFETY: the library has written that many indices into the program's array.
        saw(&mut call, ivars.wrapping_add(unsafe { *indices.add(i) }));
    }
}

// SAFETY (all rows): each body forwards the program's own arguments.
macro_rules! several {
    ($ty:ty, $value:ty, $wait_all:ident, $wait_any:ident, $wait_some:ident, $all:ident, $any:ident, $some:ident) => { pastey::paste! { calls! {
        fn $wait_all(ivars: *mut $ty, nelems: usize, status: *const c_int, cmp: c_int, value: $value) {
            let call = begin(ivars, nelems, status);
            unsafe { [<pshmem_ $wait_all>](ivars, nelems, status, cmp, value) };
            saw_all(call, ivars, nelems, status);
        }
        fn $wait_any(ivars: *mut $ty, nelems: usize, status: *const c_int, cmp: c_int, value: $value) -> usize {
            let call = begin(ivars, nelems, status);
            let which = unsafe { [<pshmem_ $wait_any>](ivars, nelems, status, cmp, value) };
            saw_one(call, ivars, nelems, which);
            which
        }
        fn $wait_some(ivars: *mut $ty, nelems: usize, indices: *mut usize, status: *const c_int, cmp: c_int, value: $value) -> usize {
            let call = begin(ivars, nelems, status);
            let count = unsafe { [<pshmem_ $wait_some>](ivars, nelems, indices, status, cmp, value) };
            saw_some(call, ivars, indices, count);
            count
        }
        fn $all(ivars: *mut $ty, nelems: usize, status: *const c_int, cmp: c_int, value: $value) -> c_int {
            let call = begin(ivars, nelems, status);
            let yes = unsafe { [<pshmem_ $all>](ivars, nelems, status, cmp, value) };
            saw_all(call.filter(|_| yes != 0), ivars, nelems, status);
            yes
        }
        fn $any(ivars: *mut $ty, nelems: usize, status: *const c_int, cmp: c_int, value: $value) -> usize {
            let call = begin(ivars, nelems, status);
            let which = unsafe { [<pshmem_ $any>](ivars, nelems, status, cmp, value) };
            saw_one(call, ivars, nelems, which);
            which
        }
        fn $some(ivars: *mut $ty, nelems: usize, indices: *mut usize, status: *const c_int, cmp: c_int, value: $value) -> usize {
            let call = begin(ivars, nelems, status);
            let count = unsafe { [<pshmem_ $some>](ivars, nelems, indices, status, cmp, value) };
            saw_some(call, ivars, indices, count);
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
                saw_one(call, ivar, 1, 0);
            }
            fn $test(ivar: *mut $ty, cmp: c_int, value: $ty) -> c_int {
                let call = begin(ivar, 1, std::ptr::null());
                let yes = unsafe { [<pshmem_ $test>](ivar, cmp, value) };
                saw_one(call.filter(|_| yes != 0), ivar, 1, 0);
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
            saw_one(call, ivar, 1, 0);
        }
    )* } } };
}
old_wait! { short_wait, i16; int_wait, i32; long_wait, c_long; longlong_wait, i64; wait, c_long; }

calls! {
    fn wait_until(ivar: *mut c_long, cmp: c_int, value: c_long) {
        let call = begin(ivar, 1, std::ptr::null());
        unsafe { pshmem_wait_until(ivar, cmp, value) };
        saw_one(call, ivar, 1, 0);
    }
    fn signal_wait_until(sig_addr: *mut u64, cmp: c_int, cmp_value: u64) -> u64 {
        let call = begin(sig_addr, 1, std::ptr::null());
        let value = unsafe { pshmem_signal_wait_until(sig_addr, cmp, cmp_value) };
        saw_one(call, sig_addr, 1, 0);
        value
    }
}
