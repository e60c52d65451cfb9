//! The C library's input and output: the memory that it writes out of and reads into is accessed by whoever called it.
//!
//! Programs are linked with `--wrap`, as for [`crate::memory`]. What `printf` and `scanf` do to memory depends on the format: [`format`] reads
//! it, [`arguments`] finds the addresses.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

mod arguments;
mod format;

use crate::entry::entries;
use crate::memory::{read_string, touch};
use crate::rank::observe;
use crate::real::Real;
use crate::threads::streams;
use arguments::{Arguments, variadic};
use format::{Printed, Scanned};
use libc::{FILE, c_char, c_int, c_void, iovec, off_t, size_t, ssize_t};
use std::ffi::CStr;

unsafe extern "C" {
    fn vfprintf(to: *mut FILE, format: *const c_char, list: *mut c_void) -> c_int;
    fn vprintf(format: *const c_char, list: *mut c_void) -> c_int;
    fn vdprintf(fd: c_int, format: *const c_char, list: *mut c_void) -> c_int;
    fn vsnprintf(to: *mut c_char, size: size_t, format: *const c_char, list: *mut c_void) -> c_int;
    fn vsprintf(to: *mut c_char, format: *const c_char, list: *mut c_void) -> c_int;
    fn __isoc99_vfscanf(from: *mut FILE, format: *const c_char, list: *mut c_void) -> c_int;
    fn __isoc99_vscanf(format: *const c_char, list: *mut c_void) -> c_int;
    fn __isoc99_vsscanf(from: *const c_char, format: *const c_char, list: *mut c_void) -> c_int;
    fn getdelim(into: *mut *mut c_char, size: *mut size_t, end: c_int, from: *mut FILE) -> ssize_t;
    fn qsort(
        base: *mut c_void,
        n: size_t,
        size: size_t,
        compare: Option<extern "C" fn(*const c_void, *const c_void) -> c_int>,
    );
}

/// Reports the strings that a format and its arguments have printed.
fn prints(format: *const c_char, mut arguments: Arguments) {
    if observe().is_none() {
        return;
    }
    read_string(format);
    // SAFETY: the program's promise to the function it called.
    let Some(taken) = format::printed(unsafe { CStr::from_ptr(format) }.to_bytes()) else { return };
    let mut last = 0;
    for argument in taken {
        // SAFETY: the format says that there are such arguments.
        unsafe {
            match argument {
                Printed::Word => last = arguments.word(),
                Printed::Wide => _ = arguments.word(),
                Printed::Double => arguments.skip_double(),
                Printed::LongDouble => arguments.skip_long_double(),
                Printed::Text { most, given } => {
                    let text = arguments.word() as *const c_char;
                    let most = if given { usize::try_from(last as c_int).ok() } else { most };
                    if !text.is_null() {
                        let most = most.unwrap_or(usize::MAX);
                        touch(&[(text.cast(), (libc::strnlen(text, most) + 1).min(most))], &[]);
                    }
                }
            }
        }
    }
}

/// Reports what a format and its arguments have read in, of which so many conversions were done.
fn scans(format: *const c_char, mut arguments: Arguments, mut done: c_int) {
    if observe().is_none() {
        return;
    }
    read_string(format);
    // SAFETY: the program's promise to the function it called.
    let Some(taken) = format::scanned(unsafe { CStr::from_ptr(format) }.to_bytes()) else { return };
    for argument in taken {
        // SAFETY: the format says that there are such arguments, and that they are addresses of this.
        unsafe {
            let to = arguments.word() as *const c_void;
            let counts = !matches!(argument, Scanned::Count(_));
            if counts && done <= 0 {
                return;
            }
            match argument {
                Scanned::Bytes(n) | Scanned::Count(n) => touch(&[], &[(to, n)]),
                Scanned::Text => touch(&[], &[(to, libc::strlen(to.cast()) + 1)]),
                Scanned::Other => {}
            }
            done -= c_int::from(counts);
        }
    }
}

/// What of a buffer was written by a function that says how much it had to write.
fn formatted(to: *mut c_char, size: usize, length: c_int) {
    if let (Ok(length), true) = (usize::try_from(length), size > 0) {
        touch(&[], &[(to.cast(), (length + 1).min(size))]);
    }
}

variadic! {
    __wrap_printf 1 "rsi" on_printf;
    __wrap_fprintf 2 "rdx" on_fprintf;
    __wrap_dprintf 2 "rdx" on_dprintf;
    __wrap_sprintf 2 "rdx" on_sprintf;
    __wrap_snprintf 3 "rcx" on_snprintf;
    __wrap_scanf 1 "rsi" on_scanf;
    __wrap_fscanf 2 "rdx" on_fscanf;
    __wrap_sscanf 2 "rdx" on_sscanf;
    __wrap___isoc99_scanf 1 "rsi" on_scanf;
    __wrap___isoc99_fscanf 2 "rdx" on_fscanf;
    __wrap___isoc99_sscanf 2 "rdx" on_sscanf;
}

// SAFETY (all that follows): each forwards the program's own arguments to the function it meant to call.
unsafe extern "C" fn on_printf(format: *const c_char, list: *mut Arguments) -> c_int {
    let arguments = unsafe { &mut *list };
    prints(format, *arguments);
    unsafe { vprintf(format, arguments.as_list()) }
}

unsafe extern "C" fn on_fprintf(to: *mut FILE, format: *const c_char, list: *mut Arguments) -> c_int {
    let arguments = unsafe { &mut *list };
    prints(format, *arguments);
    streams::prints(to);
    unsafe { vfprintf(to, format, arguments.as_list()) }
}

unsafe extern "C" fn on_dprintf(fd: c_int, format: *const c_char, list: *mut Arguments) -> c_int {
    let arguments = unsafe { &mut *list };
    prints(format, *arguments);
    streams::prints_at_once(fd);
    unsafe { vdprintf(fd, format, arguments.as_list()) }
}

unsafe extern "C" fn on_sprintf(to: *mut c_char, format: *const c_char, list: *mut Arguments) -> c_int {
    let arguments = unsafe { &mut *list };
    prints(format, *arguments);
    let length = unsafe { vsprintf(to, format, arguments.as_list()) };
    formatted(to, usize::MAX, length);
    length
}

unsafe extern "C" fn on_snprintf(to: *mut c_char, size: size_t, format: *const c_char, list: *mut Arguments) -> c_int {
    let arguments = unsafe { &mut *list };
    prints(format, *arguments);
    let length = unsafe { vsnprintf(to, size, format, arguments.as_list()) };
    formatted(to, size, length);
    length
}

unsafe extern "C" fn on_scanf(format: *const c_char, list: *mut Arguments) -> c_int {
    let arguments = unsafe { &mut *list };
    let before = *arguments;
    let done = unsafe { __isoc99_vscanf(format, arguments.as_list()) };
    scans(format, before, done);
    done
}

unsafe extern "C" fn on_fscanf(from: *mut FILE, format: *const c_char, list: *mut Arguments) -> c_int {
    let arguments = unsafe { &mut *list };
    let before = *arguments;
    let done = unsafe { __isoc99_vfscanf(from, format, arguments.as_list()) };
    streams::scanned(from);
    scans(format, before, done);
    done
}

unsafe extern "C" fn on_sscanf(from: *const c_char, format: *const c_char, list: *mut Arguments) -> c_int {
    let arguments = unsafe { &mut *list };
    let before = *arguments;
    read_string(from);
    let done = unsafe { __isoc99_vsscanf(from, format, arguments.as_list()) };
    scans(format, before, done);
    done
}

/// Bytes that a call says it moved.
fn moved(n: ssize_t) -> usize {
    usize::try_from(n).unwrap_or(0)
}

/// Reads a line, or what else ends with such a byte, into a buffer that grows with it: then its address and size are written too.
unsafe fn get_line(into: *mut *mut c_char, size: *mut size_t, end: c_int, from: *mut FILE) -> ssize_t {
    let before = unsafe { (*into, *size) };
    let read = unsafe { getdelim(into, size, end, from) };
    streams::scanned(from);
    let (buffer, capacity) = unsafe { (*into, *size) };
    let line = if read < 0 { 0 } else { moved(read) + 1 };
    let grown = |is: bool, len: usize| if is { len } else { 0 };
    touch(
        &[(into.cast(), size_of::<*mut c_char>()), (size.cast(), size_of::<size_t>())],
        &[
            (buffer.cast(), line),
            (into.cast(), grown(buffer != before.0, size_of::<*mut c_char>())),
            (size.cast(), grown(capacity != before.1, size_of::<size_t>())),
        ],
    );
    read
}

/// The parts of memory of a call that moves several; none if their number is none.
unsafe fn parts<'a>(parts: *const iovec, n: c_int) -> &'a [iovec] {
    match usize::try_from(n) {
        Ok(n) if n > 0 && !parts.is_null() => unsafe { std::slice::from_raw_parts(parts, n) },
        _ => &[],
    }
}

entries! {
    __wrap_ fn vprintf(format: *const c_char, list: *mut Arguments) -> c_int { unsafe { on_printf(format, list) } }
    __wrap_ fn vfprintf(to: *mut FILE, format: *const c_char, list: *mut Arguments) -> c_int {
        unsafe { on_fprintf(to, format, list) }
    }
    __wrap_ fn vsprintf(to: *mut c_char, format: *const c_char, list: *mut Arguments) -> c_int {
        unsafe { on_sprintf(to, format, list) }
    }
    __wrap_ fn vsnprintf(to: *mut c_char, size: size_t, format: *const c_char, list: *mut Arguments) -> c_int {
        unsafe { on_snprintf(to, size, format, list) }
    }
    __wrap_ fn puts(text: *const c_char) -> c_int {
        read_string(text);
        unsafe { libc::puts(text) }
    }
    __wrap_ fn fputs(text: *const c_char, to: *mut FILE) -> c_int {
        read_string(text);
        streams::prints(to);
        unsafe { libc::fputs(text, to) }
    }
    __wrap_ fn fgets(into: *mut c_char, size: c_int, from: *mut FILE) -> *mut c_char {
        let line = unsafe { libc::fgets(into, size, from) };
        streams::scanned(from);
        if !line.is_null() {
            touch(&[], &[(line.cast(), unsafe { libc::strlen(line) } + 1)]);
        }
        line
    }
    __wrap_ fn fread(into: *mut c_void, size: size_t, n: size_t, from: *mut FILE) -> size_t {
        let read = unsafe { libc::fread(into, size, n, from) };
        streams::scanned(from);
        touch(&[], &[(into, read.saturating_mul(size))]);
        read
    }
    __wrap_ fn fwrite(what: *const c_void, size: size_t, n: size_t, to: *mut FILE) -> size_t {
        touch(&[(what, size.saturating_mul(n))], &[]);
        streams::prints(to);
        unsafe { libc::fwrite(what, size, n, to) }
    }
    __wrap_ fn fflush(file: *mut FILE) -> c_int {
        streams::flushes(file);
        unsafe { libc::fflush(file) }
    }
    __wrap_ fn fclose(file: *mut FILE) -> c_int {
        streams::flushes(file);
        unsafe { libc::fclose(file) }
    }
    __wrap_ fn read(fd: c_int, into: *mut c_void, n: size_t) -> ssize_t {
        let read = unsafe { libc::read(fd, into, n) };
        streams::read(fd, read, false);
        touch(&[], &[(into, moved(read))]);
        read
    }
    __wrap_ fn write(fd: c_int, what: *const c_void, n: size_t) -> ssize_t {
        touch(&[(what, n)], &[]);
        streams::write(fd, n, || unsafe { libc::write(fd, what, n) })
    }
    __wrap_ fn pread(fd: c_int, into: *mut c_void, n: size_t, at: off_t) -> ssize_t {
        let read = unsafe { libc::pread(fd, into, n, at) };
        streams::read(fd, read, false);
        touch(&[], &[(into, moved(read))]);
        read
    }
    __wrap_ fn pwrite(fd: c_int, what: *const c_void, n: size_t, at: off_t) -> ssize_t {
        touch(&[(what, n)], &[]);
        streams::write(fd, n, || unsafe { libc::pwrite(fd, what, n, at) })
    }
    __wrap_ fn readv(fd: c_int, into: *const iovec, n: c_int) -> ssize_t {
        let read = unsafe { libc::readv(fd, into, n) };
        streams::read(fd, read, false);
        let all = unsafe { parts(into, n) };
        touch(&[(into.cast(), size_of_val(all))], &[]);
        let mut left = moved(read);
        for part in all {
            let len = part.iov_len.min(left);
            touch(&[], &[(part.iov_base, len)]);
            left -= len;
        }
        read
    }
    __wrap_ fn writev(fd: c_int, what: *const iovec, n: c_int) -> ssize_t {
        let all = unsafe { parts(what, n) };
        touch(&[(what.cast(), size_of_val(all))], &[]);
        for part in all {
            touch(&[(part.iov_base, part.iov_len)], &[]);
        }
        let len = all.iter().map(|part| part.iov_len).fold(0, usize::saturating_add);
        streams::write(fd, len, || unsafe { libc::writev(fd, what, n) })
    }
    __wrap_ fn getline(into: *mut *mut c_char, size: *mut size_t, from: *mut FILE) -> ssize_t {
        static REAL: Real = Real::new(b"getline\0");
        // Many programs have a function of their own of that name. Theirs is found before the C library's.
        if libc::getline as *const () as usize != REAL.get() {
            return unsafe { libc::getline(into, size, from) };
        }
        unsafe { get_line(into, size, c_int::from(b'\n'), from) }
    }
    __wrap_ fn getdelim(into: *mut *mut c_char, size: *mut size_t, end: c_int, from: *mut FILE) -> ssize_t {
        unsafe { get_line(into, size, end, from) }
    }
    // What glibc's headers make of both.
    __wrap_ fn __getdelim(into: *mut *mut c_char, size: *mut size_t, end: c_int, from: *mut FILE) -> ssize_t {
        unsafe { get_line(into, size, end, from) }
    }
    __wrap_ fn gethostname(into: *mut c_char, size: size_t) -> c_int {
        let failed = unsafe { libc::gethostname(into, size) };
        if failed == 0 {
            touch(&[], &[(into.cast(), (unsafe { libc::strnlen(into, size) } + 1).min(size))]);
        }
        failed
    }
    __wrap_ fn getcwd(into: *mut c_char, size: size_t) -> *mut c_char {
        let path = unsafe { libc::getcwd(into, size) };
        if !path.is_null() {
            touch(&[], &[(path.cast(), unsafe { libc::strlen(path) } + 1)]);
        }
        path
    }
    __wrap_ fn qsort(
        base: *mut c_void, n: size_t, size: size_t, compare: Option<extern "C" fn(*const c_void, *const c_void) -> c_int>,
    ) {
        if n > 1 {
            touch(&[], &[(base, n.saturating_mul(size))]);
        }
        unsafe { qsort(base, n, size, compare) }
    }
}
