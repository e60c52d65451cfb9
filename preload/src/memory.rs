//! The C library's memory and string functions: what they read and write are accesses of whoever called them.
//!
//! Programs are linked with `--wrap`, so that their calls, and theirs alone, come here.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use crate::entry::entries;
use crate::rank::observe;
use crate::sampled::{self, Looked};
use libc::{c_char, c_double, c_float, c_int, c_long, c_longlong, c_ulong, c_ulonglong, c_void, size_t, wchar_t};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};
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
    // SAFETY: the caller's.
    unsafe { compared_as(a, b, most, |byte| byte) }
}

/// The same for one that takes some bytes for others.
unsafe fn compared_as<T: PartialEq>(
    a: *const c_char,
    b: *const c_char,
    most: usize,
    key: impl Fn(c_char) -> T,
) -> usize {
    let mut n = 0;
    // SAFETY: the program's promise to the function it called: both are readable up to the first difference or end.
    unsafe {
        while n < most && key(*a.add(n)) == key(*b.add(n)) && *a.add(n) != 0 {
            n += 1;
        }
    }
    (n + 1).min(most)
}

/// A byte as comparisons see it that know no capitals.
fn small(byte: c_char) -> c_int {
    // SAFETY: any byte will do.
    unsafe { libc::tolower(c_int::from(byte as u8)) }
}

/// Bytes that a function reads which looks for a number at the beginning of a string, and found that it ends there: up to the first that is
/// no part of it.
unsafe fn number(text: *const c_char, end: *const c_char) -> usize {
    if end != text {
        return end as usize - text as usize + 1;
    }
    let mut n = 0;
    // SAFETY: the program's promise to the function it called: what could begin a number is readable.
    unsafe {
        while libc::isspace(c_int::from(*text.add(n) as u8)) != 0 {
            n += 1;
        }
        n + 1 + usize::from(matches!(*text.add(n) as u8, b'+' | b'-'))
    }
}

/// Calls a function that reads a number and is told where to leave its end, or not. What it says of errors stays.
unsafe fn read_number<T>(text: *const c_char, into: *mut *mut c_char, real: impl FnOnce(*mut *mut c_char) -> T) -> T {
    let mut end = null_mut();
    let value = real(&raw mut end);
    // A base that there is none of: nothing was read.
    if end.is_null() {
        return value;
    }
    // SAFETY: the program's promise to the function it called, and this thread's own variable.
    unsafe {
        let error = *libc::__errno_location();
        let reads = [(text.cast(), number(text, end))];
        if into.is_null() {
            touch(&reads, &[]);
        } else {
            touch(&reads, &[(into.cast(), size_of::<*mut c_char>())]);
            *into = end;
        }
        *libc::__errno_location() = error;
    }
    value
}

/// What `strtok` goes on with.
static REST: AtomicPtr<c_char> = AtomicPtr::new(null_mut());

/// Takes a token: what is read of the text is all before it, and the byte behind it, which is overwritten unless it is the end.
/// `kept` are the bytes of the program's own variable that holds the rest of the text.
unsafe fn token(text: *mut c_char, set: *const c_char, rest: *mut *mut c_char, kept: usize) -> *mut c_char {
    // SAFETY: the program's promise to the function it called.
    unsafe {
        let start = if text.is_null() { *rest } else { text };
        let before = libc::strspn(start, set);
        let len = libc::strcspn(start.add(before), set);
        let behind = start.add(before + len);
        let cut = usize::from(len > 0 && *behind != 0);
        let asked = if text.is_null() { kept } else { 0 };
        touch(
            &[(rest.cast(), asked), (start.cast(), before + len + 1), (set.cast(), whole(set))],
            &[(behind.cast(), cut), (rest.cast(), kept)],
        );
        libc::strtok_r(text, set, rest)
    }
}

/// Bytes of a wide character.
const WIDE: usize = size_of::<wchar_t>();

unsafe extern "C" {
    fn bcopy(from: *const c_void, to: *mut c_void, n: size_t);
    fn bzero(to: *mut c_void, n: size_t);
    fn stpcpy(to: *mut c_char, from: *const c_char) -> *mut c_char;
    fn mempcpy(to: *mut c_void, from: *const c_void, n: size_t) -> *mut c_void;
    fn wmemcpy(to: *mut wchar_t, from: *const wchar_t, n: size_t) -> *mut wchar_t;
    fn wmemmove(to: *mut wchar_t, from: *const wchar_t, n: size_t) -> *mut wchar_t;
    fn wmemset(to: *mut wchar_t, with: wchar_t, n: size_t) -> *mut wchar_t;
    fn strsep(rest: *mut *mut c_char, set: *const c_char) -> *mut c_char;
    /// It leaves its result in a register of the coprocessor, which nothing that is compiled here touches.
    fn strtold(text: *const c_char, end: *mut *mut c_char);
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
    __wrap_ fn wmemcpy(to: *mut wchar_t, from: *const wchar_t, n: size_t) -> *mut wchar_t {
        touch(&[(from.cast(), n * WIDE)], &[(to.cast(), n * WIDE)]);
        unsafe { wmemcpy(to, from, n) }
    }
    __wrap_ fn wmemmove(to: *mut wchar_t, from: *const wchar_t, n: size_t) -> *mut wchar_t {
        touch(&[(from.cast(), n * WIDE)], &[(to.cast(), n * WIDE)]);
        unsafe { wmemmove(to, from, n) }
    }
    __wrap_ fn wmemset(to: *mut wchar_t, with: wchar_t, n: size_t) -> *mut wchar_t {
        touch(&[], &[(to.cast(), n * WIDE)]);
        unsafe { wmemset(to, with, n) }
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
    __wrap_ fn strchrnul(text: *const c_char, byte: c_int) -> *mut c_char {
        let found = unsafe { libc::strchrnul(text, byte) };
        touch(&[(text.cast(), found as usize - text as usize + 1)], &[]);
        found
    }
    __wrap_ fn strcasecmp(a: *const c_char, b: *const c_char) -> c_int {
        let n = unsafe { compared_as(a, b, usize::MAX, small) };
        touch(&[(a.cast(), n), (b.cast(), n)], &[]);
        unsafe { libc::strcasecmp(a, b) }
    }
    __wrap_ fn strncasecmp(a: *const c_char, b: *const c_char, most: size_t) -> c_int {
        let n = unsafe { compared_as(a, b, most, small) };
        touch(&[(a.cast(), n), (b.cast(), n)], &[]);
        unsafe { libc::strncasecmp(a, b, most) }
    }
    __wrap_ fn strspn(text: *const c_char, set: *const c_char) -> size_t {
        let n = unsafe { libc::strspn(text, set) };
        touch(&[(text.cast(), n + 1), (set.cast(), unsafe { whole(set) })], &[]);
        n
    }
    __wrap_ fn strcspn(text: *const c_char, set: *const c_char) -> size_t {
        let n = unsafe { libc::strcspn(text, set) };
        touch(&[(text.cast(), n + 1), (set.cast(), unsafe { whole(set) })], &[]);
        n
    }
    __wrap_ fn strpbrk(text: *const c_char, set: *const c_char) -> *mut c_char {
        touch(&[(text.cast(), unsafe { libc::strcspn(text, set) } + 1), (set.cast(), unsafe { whole(set) })], &[]);
        unsafe { libc::strpbrk(text, set) }
    }
    __wrap_ fn strtok(text: *mut c_char, set: *const c_char) -> *mut c_char {
        // As in the C library, all threads share what is left.
        let mut rest = REST.load(Ordering::Relaxed);
        let found = unsafe { token(text, set, &raw mut rest, 0) };
        REST.store(rest, Ordering::Relaxed);
        found
    }
    __wrap_ fn strtok_r(text: *mut c_char, set: *const c_char, rest: *mut *mut c_char) -> *mut c_char {
        unsafe { token(text, set, rest, size_of::<*mut c_char>()) }
    }
    __wrap_ fn strsep(rest: *mut *mut c_char, set: *const c_char) -> *mut c_char {
        let kept = (rest.cast_const().cast(), size_of::<*mut c_char>());
        let text = unsafe { *rest };
        if text.is_null() {
            touch(&[kept], &[]);
        } else {
            let n = unsafe { libc::strcspn(text, set) };
            let cut = usize::from(unsafe { *text.add(n) } != 0);
            let reads = [kept, (text.cast_const().cast(), n + 1), (set.cast(), unsafe { whole(set) })];
            touch(&reads, &[(text.wrapping_add(n).cast_const().cast(), cut), kept]);
        }
        unsafe { strsep(rest, set) }
    }
    __wrap_ fn strndup(text: *const c_char, most: size_t) -> *mut c_char {
        touch(&[(text.cast(), unsafe { at_most(text, most) })], &[]);
        unsafe { libc::strndup(text, most) }
    }
    __wrap_ fn memrchr(text: *const c_void, byte: c_int, n: size_t) -> *mut c_void {
        let found = unsafe { libc::memrchr(text, byte, n) };
        // From the end on.
        let skipped = if found.is_null() { 0 } else { found as usize - text as usize };
        touch(&[(text.wrapping_byte_add(skipped), n - skipped)], &[]);
        found
    }
    __wrap_ fn memmem(text: *const c_void, n: size_t, part: *const c_void, part_len: size_t) -> *mut c_void {
        let found = unsafe { libc::memmem(text, n, part, part_len) };
        let read = if found.is_null() { n } else { found as usize - text as usize + part_len };
        // What is longer is not looked for.
        if part_len <= n {
            touch(&[(text, read), (part, part_len)], &[]);
        }
        found
    }
    __wrap_ fn memccpy(to: *mut c_void, from: *const c_void, byte: c_int, most: size_t) -> *mut c_void {
        let last = unsafe { libc::memchr(from, byte, most) };
        let n = if last.is_null() { most } else { last as usize - from as usize + 1 };
        touch(&[(from, n)], &[(to, n)]);
        unsafe { libc::memccpy(to, from, byte, most) }
    }
    __wrap_ fn atoi(text: *const c_char) -> c_int {
        unsafe { read_number(text, null_mut(), |end| libc::strtol(text, end, 10)) as c_int }
    }
    __wrap_ fn atol(text: *const c_char) -> c_long {
        unsafe { read_number(text, null_mut(), |end| libc::strtol(text, end, 10)) }
    }
    __wrap_ fn atoll(text: *const c_char) -> c_longlong {
        unsafe { read_number(text, null_mut(), |end| libc::strtoll(text, end, 10)) }
    }
    __wrap_ fn atof(text: *const c_char) -> c_double {
        unsafe { read_number(text, null_mut(), |end| libc::strtod(text, end)) }
    }
    __wrap_ fn strtol(text: *const c_char, into: *mut *mut c_char, base: c_int) -> c_long {
        unsafe { read_number(text, into, |end| libc::strtol(text, end, base)) }
    }
    __wrap_ fn strtoul(text: *const c_char, into: *mut *mut c_char, base: c_int) -> c_ulong {
        unsafe { read_number(text, into, |end| libc::strtoul(text, end, base)) }
    }
    __wrap_ fn strtoll(text: *const c_char, into: *mut *mut c_char, base: c_int) -> c_longlong {
        unsafe { read_number(text, into, |end| libc::strtoll(text, end, base)) }
    }
    __wrap_ fn strtoull(text: *const c_char, into: *mut *mut c_char, base: c_int) -> c_ulonglong {
        unsafe { read_number(text, into, |end| libc::strtoull(text, end, base)) }
    }
    __wrap_ fn strtod(text: *const c_char, into: *mut *mut c_char) -> c_double {
        unsafe { read_number(text, into, |end| libc::strtod(text, end)) }
    }
    __wrap_ fn strtof(text: *const c_char, into: *mut *mut c_char) -> c_float {
        unsafe { read_number(text, into, |end| libc::strtof(text, end)) }
    }
    __wrap_ fn strtold(text: *const c_char, into: *mut *mut c_char) {
        unsafe {
            // The same text is a number for both, whether it is one of that size or not.
            let error = *libc::__errno_location();
            read_number(text, into, |end| libc::strtod(text, end));
            *libc::__errno_location() = error;
            strtold(text, into);
        }
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
