//! The threads of C11. The C library carries them out without calling its own pthreads by name, so they have rows of their own.

use super::{awaited, awake, entered, joined, on_pthread_create, on_pthread_once, released, resting, signalled};
use crate::confirm::waiting;
use crate::real::Real;
use libc::{c_int, c_void, pthread_t, timespec};
use std::ffi::CStr;

/// What the calls answer.
const SUCCESS: c_int = 0;
const ERROR: c_int = 2;
const NO_MEMORY: c_int = 3;

/// What a thread is to do.
struct Start {
    routine: extern "C" fn(*mut c_void) -> c_int,
    argument: *mut c_void,
}

/// A thread's result is what the other end takes out of a pointer.
extern "C" fn starts(start: *mut c_void) -> *mut c_void {
    // SAFETY: the box that `thrd_create` made for this thread.
    let start = unsafe { Box::from_raw(start.cast::<Start>()) };
    let Start { routine, argument } = *start;
    routine(argument) as usize as *mut c_void
}

// SAFETY (all rows): each body forwards the program's own arguments.
interpose! {
    fn thrd_create(thread: *mut pthread_t, routine: extern "C" fn(*mut c_void) -> c_int, argument: *mut c_void) -> c_int, _real => {
        let start = Box::into_raw(Box::new(Start { routine, argument }));
        let result = unsafe { on_pthread_create(thread, std::ptr::null(), starts, start.cast()) };
        if result != 0 {
            // SAFETY: no thread has taken the box.
            drop(unsafe { Box::from_raw(start) });
        }
        match result {
            0 => SUCCESS,
            libc::ENOMEM => NO_MEMORY,
            _ => ERROR,
        }
    }
    fn thrd_join(thread: pthread_t, value: *mut c_int) -> c_int, real => {
        let result = waiting(|| unsafe { real(thread, value) });
        if result == SUCCESS {
            joined(thread);
        }
        result
    }
    fn mtx_lock(mutex: *mut c_void) -> c_int, real => {
        let result = waiting(|| unsafe { real(mutex) });
        if result == SUCCESS {
            entered(mutex);
        }
        result
    }
    fn mtx_trylock(mutex: *mut c_void) -> c_int, real => {
        let result = unsafe { real(mutex) };
        if result == SUCCESS {
            entered(mutex);
        }
        result
    }
    fn mtx_timedlock(mutex: *mut c_void, until: *const timespec) -> c_int, real => {
        let result = waiting(|| unsafe { real(mutex, until) });
        if result == SUCCESS {
            entered(mutex);
        }
        result
    }
    fn mtx_unlock(mutex: *mut c_void) -> c_int, real => {
        released(mutex);
        unsafe { real(mutex) }
    }
    fn cnd_wait(condition: *mut c_void, mutex: *mut c_void) -> c_int, real => {
        released(mutex);
        let result = resting(condition, || unsafe { real(condition, mutex) });
        entered(mutex);
        if result == SUCCESS {
            awaited(condition);
        }
        awake();
        result
    }
    fn cnd_timedwait(condition: *mut c_void, mutex: *mut c_void, until: *const timespec) -> c_int, real => {
        released(mutex);
        let result = waiting(|| unsafe { real(condition, mutex, until) });
        entered(mutex);
        if result == SUCCESS {
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
    // Its flag is that of pthreads. It answers nothing, so that nobody looks at what is returned.
    fn call_once(once: *mut c_void, routine: extern "C" fn()) -> c_int, _real => {
        unsafe { on_pthread_once(once, routine) }
    }
}
