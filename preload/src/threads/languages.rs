//! What the languages have of their own: the threads of C11, and static variables of functions in C++.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use super::{ONCE, awaited, awake, cancellable, create, entered, joined, released, resting, run_once, signalled};
use crate::confirm::waiting;
use crate::real::Real;
use libc::{c_int, c_void, pthread_t, timespec};
use std::ffi::CStr;

// The threads of C11, which glibc does not build on the names above. SAFETY (all rows): as above.
interpose! {
    fn thrd_create(thread: *mut pthread_t, routine: extern "C" fn(*mut c_void) -> c_int, argument: *mut c_void) -> c_int, real => {
        create(thread, routine, argument, |routine, argument| unsafe { real(thread, routine, argument) })
    }
    fn thrd_join(thread: pthread_t, value: *mut c_int) -> c_int, real => {
        let result = waiting(|| unsafe { real(thread, value) });
        if result == 0 {
            joined(thread);
        }
        result
    }
    fn cnd_wait(condition: *mut c_void, mutex: *mut c_void) -> c_int, real => {
        released(mutex);
        let result = cancellable(mutex, || resting(condition, || unsafe { real(condition, mutex) }));
        entered(mutex);
        if result == 0 {
            awaited(condition);
        }
        awake();
        result
    }
    fn cnd_timedwait(condition: *mut c_void, mutex: *mut c_void, until: *const timespec) -> c_int, real => {
        released(mutex);
        let result = cancellable(mutex, || waiting(|| unsafe { real(condition, mutex, until) }));
        entered(mutex);
        if result == 0 {
            awaited(condition);
        }
        result
    }
    fn cnd_signal(condition: *mut c_void) -> c_int, real => {
        signalled(condition);
        unsafe { real(condition) }
    }
    fn cnd_broadcast(condition: *mut c_void) -> c_int, real => {
        signalled(condition);
        unsafe { real(condition) }
    }
    // It returns nothing: what is taken for its result nobody looks at.
    fn call_once(once: *mut c_void, routine: extern "C" fn()) -> c_int, real => {
        let outer = ONCE.replace((once, Some(routine)));
        let result = unsafe { real(once, run_once) };
        ONCE.set(outer);
        awaited(once);
        result
    }
}

// The initialisation of a static variable of a C++ function: who finds it done comes after it. SAFETY (all rows): as above.
interpose! {
    fn __cxa_guard_acquire(guard: *mut c_void) -> c_int, real => {
        let result = waiting(|| unsafe { real(guard) });
        awaited(guard);
        result
    }
    // It returns nothing: what is taken for its result nobody looks at.
    fn __cxa_guard_release(guard: *mut c_void) -> c_int, real => {
        signalled(guard);
        unsafe { real(guard) }
    }
}
