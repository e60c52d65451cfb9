//! Sleeping on a word that several processes share.

use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// Sleeps while `*word == seen`, at most `limit`. Returns early for any reason: the caller looks again.
pub fn wait(word: &AtomicU32, seen: u32, limit: Duration) {
    let limit = libc::timespec {
        tv_sec: limit.as_secs() as libc::time_t,
        tv_nsec: libc::c_long::from(limit.subsec_nanos() as i32),
    };
    // SAFETY: the word outlives the call, and the kernel only reads it; not FUTEX_PRIVATE, because processes share it.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT,
            seen,
            &raw const limit,
            std::ptr::null::<u32>(),
            0,
        );
    }
}

/// Wakes everyone who sleeps on `word`.
pub fn wake_all(word: &AtomicU32) {
    // SAFETY: the kernel uses only the address of the word.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAKE,
            i32::MAX,
            std::ptr::null::<u32>(),
            std::ptr::null::<u32>(),
            0,
        );
    }
}
