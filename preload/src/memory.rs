//! The C library's memory and string functions: what they read and write are accesses of whoever called them.
//!
//! Programs are linked with `--wrap`, so that their calls, and theirs alone, come here.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use crate::entry::entries;
use crate::rank::observe;
use crate::sampled::{self, Looked};
use libc::{c_char, c_int, c_void, size_t};
use thrille_model::{Act, Kind};

/// Reports what is about to be read and written: pairs of address and length.
pub fn touch(reads: &[(*const c_void, usize)], writes: &[(*const c_void, usize)]) {
    let Some(mut observed) = observe() else { return };
    let looked = sampled::look(observed.pc);
    if matches!(looked, Looked::Not) {
        return;
    }
    observed.records = Some(true);
    let counts = (observed.recorder.observed, observed.recorder.executed);
    let kinds = reads.iter().map(|r| (r, Kind::Read)).chain(writes.iter().map(|w| (w, Kind::Write)));
    for (&(address, len), kind) in kinds {
        if len > 0 {
            observed.touch(address as u64, len as u64, kind, Act::LibraryCall);
        }
    }
    if let Looked::This(taken) = looked {
        observed.recorder.executed = counts.1;
        let mut all = reads.iter().chain(writes);
        let private = observed.recorder.observed == counts.0
            && all.all(|&(address, len)| observed.recorder.is_private(address as u64, len as u64));
        sampled::judged(taken, private);
    }
}

/// Reports that a whole string is read.
pub fn read_string(text: *const c_char) {
    // SAFETY: the program's promise to the function it called.
    touch(&[(text.cast(), unsafe { whole(text) })], &[]);
}

/// Bytes of a string with its end.
unsafe fn whole(text: *const c_char) -> usize {
    // SAFETY: the program's promise to the function it called.
    unsafe { libc::strlen(text) + 1 }
}

/// Bytes of a string that a function which stops after `most` reads.
unsafe fn at_most(text: *const c_char, most: usize) -> usize {
    // SAFETY: the program's promise to the function it called.
    unsafe { (libc::strnlen(text, most) + 1).min(most) }
}

/// Bytes that a comparison of two strings reads of each.
unsafe fn compared(a: *const c_char, b: *const c_char, most: usize) -> usize {
    let mut n = 0;
    // SAFETY: the program's promise to the function it called: both are readable up to the first difference or end.
    unsafe {
        while n < most && *a.add(n) == *b.add(n) && *a.add(n) != 0 {
            n += 1;
        }
    }
    (n + 1).min(most)
}

unsafe extern "C" {
    fn bcopy(from: *const c_void, to: *mut c_void, n: size_t);
    fn bzero(to: *mut c_void, n: size_t);
    fn stpcpy(to: *mut c_char, from: *const c_char) -> *mut c_char;
    fn mempcpy(to: *mut c_void, from: *const c_void, n: size_t) -> *mut c_void;
}

// SAFETY (all rows): each body forwards the program's own arguments to the function it meant to call.
entries! {
    __wrap_ fn memcpy(to: *mut c_void, from: *const c_void, n: size_t) -> *mut c_void {
        touch(&[(from, n)], &[(to, n)]);
        unsafe { libc::memcpy(to, from, n) }
    }
    __wrap_ fn memmove(to: *mut c_void, from: *const c_void, n: size_t) -> *mut c_void {
        touch(&[(from, n)], &[(to, n)]);
        unsafe { libc::memmove(to, from, n) }
    }
    __wrap_ fn mempcpy(to: *mut c_void, from: *const c_void, n: size_t) -> *mut c_void {
        touch(&[(from, n)], &[(to, n)]);
        unsafe { mempcpy(to, from, n) }
    }
    __wrap_ fn memset(to: *mut c_void, byte: c_int, n: size_t) -> *mut c_void {
        touch(&[], &[(to, n)]);
        unsafe { libc::memset(to, byte, n) }
    }
    __wrap_ fn bcopy(from: *const c_void, to: *mut c_void, n: size_t) {
        touch(&[(from, n)], &[(to, n)]);
        unsafe { bcopy(from, to, n) }
    }
    __wrap_ fn bzero(to: *mut c_void, n: size_t) {
        touch(&[], &[(to, n)]);
        unsafe { bzero(to, n) }
    }
    __wrap_ fn memcmp(a: *const c_void, b: *const c_void, n: size_t) -> c_int {
        touch(&[(a, n), (b, n)], &[]);
        unsafe { libc::memcmp(a, b, n) }
    }
    __wrap_ fn memchr(text: *const c_void, byte: c_int, n: size_t) -> *mut c_void {
        let found = unsafe { libc::memchr(text, byte, n) };
        let read = if found.is_null() { n } else { found as usize - text as usize + 1 };
        touch(&[(text, read)], &[]);
        found
    }
    __wrap_ fn strlen(text: *const c_char) -> size_t {
        let n = unsafe { libc::strlen(text) };
        touch(&[(text.cast(), n + 1)], &[]);
        n
    }
    __wrap_ fn strcmp(a: *const c_char, b: *const c_char) -> c_int {
        let n = unsafe { compared(a, b, usize::MAX) };
        touch(&[(a.cast(), n), (b.cast(), n)], &[]);
        unsafe { libc::strcmp(a, b) }
    }
    __wrap_ fn strncmp(a: *const c_char, b: *const c_char, most: size_t) -> c_int {
        let n = unsafe { compared(a, b, most) };
        touch(&[(a.cast(), n), (b.cast(), n)], &[]);
        unsafe { libc::strncmp(a, b, most) }
    }
    __wrap_ fn strchr(text: *const c_char, byte: c_int) -> *mut c_char {
        let found = unsafe { libc::strchr(text, byte) };
        let read = if found.is_null() { unsafe { whole(text) } } else { found as usize - text as usize + 1 };
        touch(&[(text.cast(), read)], &[]);
        found
    }
    __wrap_ fn strrchr(text: *const c_char, byte: c_int) -> *mut c_char {
        read_string(text);
        unsafe { libc::strrchr(text, byte) }
    }
    __wrap_ fn strstr(text: *const c_char, part: *const c_char) -> *mut c_char {
        touch(&[(text.cast(), unsafe { whole(text) }), (part.cast(), unsafe { whole(part) })], &[]);
        unsafe { libc::strstr(text, part) }
    }
    __wrap_ fn strnlen(text: *const c_char, most: size_t) -> size_t {
        touch(&[(text.cast(), unsafe { at_most(text, most) })], &[]);
        unsafe { libc::strnlen(text, most) }
    }
    __wrap_ fn atoi(text: *const c_char) -> c_int {
        read_string(text);
        unsafe { libc::atoi(text) }
    }
    __wrap_ fn strcpy(to: *mut c_char, from: *const c_char) -> *mut c_char {
        let n = unsafe { whole(from) };
        touch(&[(from.cast(), n)], &[(to.cast(), n)]);
        unsafe { libc::strcpy(to, from) }
    }
    __wrap_ fn stpcpy(to: *mut c_char, from: *const c_char) -> *mut c_char {
        let n = unsafe { whole(from) };
        touch(&[(from.cast(), n)], &[(to.cast(), n)]);
        unsafe { stpcpy(to, from) }
    }
    __wrap_ fn strncpy(to: *mut c_char, from: *const c_char, most: size_t) -> *mut c_char {
        let n = unsafe { at_most(from, most) };
        touch(&[(from.cast(), n)], &[(to.cast(), most)]);
        unsafe { libc::strncpy(to, from, most) }
    }
    __wrap_ fn strcat(to: *mut c_char, from: *const c_char) -> *mut c_char {
        let (old, new) = unsafe { (whole(to), whole(from)) };
        touch(&[(to.cast(), old), (from.cast(), new)], &[(to.wrapping_add(old - 1).cast(), new)]);
        unsafe { libc::strcat(to, from) }
    }
    __wrap_ fn strncat(to: *mut c_char, from: *const c_char, most: size_t) -> *mut c_char {
        let (old, new) = unsafe { (whole(to), libc::strnlen(from, most)) };
        touch(&[(to.cast(), old), (from.cast(), new)], &[(to.wrapping_add(old - 1).cast(), new + 1)]);
        unsafe { libc::strncat(to, from, most) }
    }
}
