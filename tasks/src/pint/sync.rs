//! What threads synchronise by here: the standard library's, or, where the protocols are tested, the model checker's.

#[cfg(test)]
pub use loom::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicU64, Ordering, fence},
};
#[cfg(test)]
pub use loom::{hint::spin_loop, thread::yield_now};
#[cfg(not(test))]
pub use std::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicU64, Ordering, fence},
};
#[cfg(not(test))]
pub use std::{hint::spin_loop, thread::yield_now};

use std::sync::PoisonError;

/// Whoever panicked left nothing half done.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The same, of what was waited for.
pub fn wait<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condition.wait(guard).unwrap_or_else(PoisonError::into_inner)
}
