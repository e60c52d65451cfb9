//! The one way out of a job: a bad argument, `shmem_global_exit`, or a job that somebody else has ended.

use std::ffi::c_int;
use std::fmt;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::state::try_state;

/// What the detector wants to be called before the process ends; null when nothing.
static ON_ABORT: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// Registers the function to be called once before the process ends early.
pub fn on_abort(f: Option<extern "C" fn()>) {
    ON_ABORT.store(f.map_or(std::ptr::null_mut(), |f| f as *mut ()), Ordering::Release);
}

/// Ends the job because of `call`'s arguments, saying so in one line.
#[cold]
pub fn fail(call: &'static str, message: &str) -> ! {
    fail_args(call, format_args!("{message}"))
}

/// [`fail`] with a message that is put together.
#[cold]
pub fn fail_args(call: &'static str, message: fmt::Arguments<'_>) -> ! {
    let pe = try_state().map(|s| s.me.to_string()).or_else(|| std::env::var(thrille_launch::ENV_PE).ok());
    let line = format!("thrille-shmem: PE {}: {call}: {message}\n", pe.as_deref().unwrap_or("?"));
    // One write, so that lines of several PEs do not mix. There is nobody to tell when stderr is closed.
    // SAFETY: writes a live buffer of that length.
    unsafe { libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len()) };
    end_job(1)
}

/// Ends the job with `status`: tells the other PEs, then ends this process.
pub fn end_job(status: c_int) -> ! {
    if let Some(state) = try_state() {
        state.control.abort(status);
    }
    leave(status)
}

/// Ends this process because the job is over. What the program printed is not lost; exit handlers do not run, because the
/// other threads of the program are still at work.
pub fn leave(status: c_int) -> ! {
    let f = ON_ABORT.swap(std::ptr::null_mut(), Ordering::AcqRel);
    if !f.is_null() {
        // SAFETY: the only non-null values ever stored are functions of this type.
        let f = unsafe { std::mem::transmute::<*mut (), extern "C" fn()>(f) };
        f();
    }
    // SAFETY: flushes the C streams of the process, then ends it.
    unsafe {
        libc::fflush(std::ptr::null_mut());
        libc::_exit(status)
    }
}
