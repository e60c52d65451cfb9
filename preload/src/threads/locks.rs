//! Mutexes, spin locks and read-write locks of POSIX and C11: one row a call.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use super::{released, taken};
use crate::confirm::waiting;
use crate::real::Real;
use libc::{c_int, c_void, timespec};
use std::ffi::CStr;
use thrille_model::Mode::{self, Exclusive, Shared};

/// Who has the lock after such a result: of a robust mutex also whoever finds that its last owner died.
fn has_it(result: c_int) -> bool {
    result == 0 || result == libc::EOWNERDEAD
}

/// Calls that try a lock do not wait.
fn at_once(call: impl FnOnce() -> c_int) -> c_int {
    call()
}

fn takes(lock: *const c_void, mode: Mode, result: c_int) -> c_int {
    if has_it(result) {
        taken(lock, mode);
    }
    result
}

macro_rules! takes {
    ($( $name:ident ( $($more:ident : $ty:ty),* ) $wait:ident $mode:ident; )*) => { interpose! { $(
        fn $name(lock: *mut c_void $(, $more: $ty)*) -> c_int, real => {
            takes(lock, $mode, $wait(|| unsafe { real(lock $(, $more)*) }))
        }
    )* } };
}

macro_rules! gives_back {
    ($( $name:ident; )*) => { interpose! { $(
        fn $name(lock: *mut c_void) -> c_int, real => {
            released(lock);
            unsafe { real(lock) }
        }
    )* } };
}

// SAFETY (all rows): each forwards the program's own arguments to the C library's function of that name.
takes! {
    pthread_mutex_lock() waiting Exclusive;
    pthread_mutex_trylock() at_once Exclusive;
    pthread_mutex_timedlock(until: *const timespec) waiting Exclusive;
    pthread_mutex_clocklock(clock: c_int, until: *const timespec) waiting Exclusive;
    pthread_spin_lock() waiting Exclusive;
    pthread_spin_trylock() at_once Exclusive;
    pthread_rwlock_rdlock() waiting Shared;
    pthread_rwlock_tryrdlock() at_once Shared;
    pthread_rwlock_timedrdlock(until: *const timespec) waiting Shared;
    pthread_rwlock_clockrdlock(clock: c_int, until: *const timespec) waiting Shared;
    pthread_rwlock_wrlock() waiting Exclusive;
    pthread_rwlock_trywrlock() at_once Exclusive;
    pthread_rwlock_timedwrlock(until: *const timespec) waiting Exclusive;
    pthread_rwlock_clockwrlock(clock: c_int, until: *const timespec) waiting Exclusive;
    mtx_lock() waiting Exclusive;
    mtx_trylock() at_once Exclusive;
    mtx_timedlock(until: *const timespec) waiting Exclusive;
}

gives_back! {
    pthread_mutex_unlock;
    pthread_spin_unlock;
    pthread_rwlock_unlock;
    mtx_unlock;
}
