//! Pipes and event counters: what is read was written before.
//!
//! The n-th byte that is read of a pipe comes after the write that it is of, not after those that have been made by now, as with semaphores. A read of an event counter takes all that was added.

use super::signalled;
use crate::rank::{observe_program, unobserved};
use libc::{c_int, size_t, ssize_t};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Names that no address has.
const NAMES: u64 = 1 << 63;
const COUNTERS: u64 = 1 << 62;

/// What went through a pipe.
#[derive(Default)]
struct Pipe {
    /// Writes whose last byte has not been read: how many bytes there were with each.
    ends: VecDeque<u64>,
    written: u64,
    read: u64,
}

static PIPES: Mutex<Option<FxHashMap<u64, Pipe>>> = Mutex::new(None);

fn pipes<R>(f: impl FnOnce(&mut FxHashMap<u64, Pipe>) -> R) -> R {
    unobserved(|| f(PIPES.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default()))
}

/// The name of a pipe, which its two ends share, or of an event counter.
fn name(fd: c_int) -> Option<u64> {
    // What a program prints may go to a pipe, of which it reads nothing.
    if fd <= libc::STDERR_FILENO {
        return None;
    }
    // SAFETY: asks the system, with a variable of our own.
    let stat = unsafe {
        let mut stat = std::mem::zeroed::<libc::stat>();
        if libc::fstat(fd, &raw mut stat) != 0 {
            return None;
        }
        stat
    };
    match stat.st_mode & libc::S_IFMT {
        libc::S_IFIFO => Some(NAMES | (stat.st_ino & (COUNTERS - 1))),
        // What has no file, as event counters.
        0 => Some(NAMES | COUNTERS | u64::from(fd.cast_unsigned())),
        _ => None,
    }
}

/// Writes: others may read it before the call is over.
pub fn write(fd: c_int, n: size_t, real: impl FnOnce() -> ssize_t) -> ssize_t {
    let Some(name) = name(fd) else { return real() };
    signalled(name as *const _);
    let len = n as u64;
    if name & COUNTERS == 0 {
        pipes(|pipes| {
            let pipe = pipes.entry(name).or_default();
            pipe.written += len;
            pipe.ends.push_back(pipe.written);
        });
    }
    let written = real();
    let missing = len - u64::try_from(written).unwrap_or(0).min(len);
    if missing > 0 && name & COUNTERS == 0 {
        pipes(|pipes| {
            if let Some(pipe) = pipes.get_mut(&name) {
                pipe.written -= missing;
                if let Some(end) = pipe.ends.back_mut() {
                    *end -= missing;
                }
            }
        });
    }
    written
}

/// This many bytes have been read.
pub fn read(fd: c_int, n: ssize_t) {
    if n <= 0 {
        return;
    }
    let Some(name) = name(fd) else { return };
    let later = if name & COUNTERS == 0 {
        pipes(|pipes| {
            let pipe = pipes.entry(name).or_default();
            pipe.read += n.cast_unsigned() as u64;
            let read = pipe.read;
            // Those that were read to their ends are over; the next one may have been begun to be read.
            while pipe.ends.front().is_some_and(|&end| end < read) {
                pipe.ends.pop_front();
            }
            pipe.ends.len().saturating_sub(1) as u64
        })
    } else {
        0
    };
    if let Some(observed) = observe_program() {
        let mut rank = observed.session.rank();
        match later {
            0 => rank.await_local(observed.recorder, name),
            later => rank.await_local_earlier(observed.recorder, name, later),
        }
    }
}
