//! What goes between threads and processes through the system: one row a call.
//!
//! Programs are linked with `--wrap`, as for [`crate::memory`]. They may have functions of their own of these names, with whatever arguments: those are called as if nothing were in between.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use super::streams::{self, file_lock, queue, queue_file};
use super::{gives_back, takes_as};
use crate::confirm::waiting;
use crate::entry::wraps;
use crate::memory::touch;
use crate::objects::Object;
use libc::{c_char, c_int, c_long, c_uint, c_void, iovec, msghdr, off_t, sembuf, sockaddr, socklen_t, timespec};
use rustc_hash::FxHashMap;
use std::sync::{Mutex, PoisonError};
use thrille_model::Mode::{self, Exclusive, Shared};

/// The parts of a message.
unsafe fn parts<'a>(message: *const msghdr) -> &'a [iovec] {
    unsafe {
        match message.as_ref() {
            Some(m) if m.msg_iovlen > 0 && !m.msg_iov.is_null() => std::slice::from_raw_parts(m.msg_iov, m.msg_iovlen),
            _ => &[],
        }
    }
}

fn len_of(parts: &[iovec]) -> usize {
    parts.iter().map(|part| part.iov_len).fold(0, usize::saturating_add)
}

fn received(fd: c_int, n: isize, flags: c_int) {
    streams::read(fd, n, flags & libc::MSG_PEEK != 0);
}

fn bytes(n: isize) -> usize {
    usize::try_from(n).unwrap_or(0)
}

/// Locks of files that this process has, by descriptor: closing it gives them back.
static LOCKED: Mutex<Option<FxHashMap<c_int, Object>>> = Mutex::new(None);

fn locked<R>(f: impl FnOnce(&mut FxHashMap<c_int, Object>) -> R) -> R {
    crate::rank::unobserved(|| f(LOCKED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default()))
}

/// Calls what takes the lock of a file in this mode, or gives it back.
fn locks(fd: c_int, mode: Option<Mode>, real: impl FnOnce() -> c_int) -> c_int {
    let Some(file) = file_lock(fd) else { return real() };
    // Who has it already gives up what he had.
    if let Some(before) = locked(|all| all.remove(&fd)) {
        gives_back(before);
    }
    let result = waiting(real);
    if let (0.., Some(mode)) = (result, mode) {
        locked(|all| all.insert(fd, file));
        takes_as(file, mode);
    }
    result
}

/// A call that may be about a lock of a file's bytes.
unsafe fn control(fd: c_int, operation: c_int, lock: *const libc::flock, real: impl FnOnce() -> c_int) -> c_int {
    const LOCKS: [c_int; 4] = [libc::F_SETLK, libc::F_SETLKW, libc::F_OFD_SETLK, libc::F_OFD_SETLKW];
    // For other operations it may be a number.
    let Some(lock) = (if LOCKS.contains(&operation) { unsafe { lock.as_ref() } } else { None }) else { return real() };
    let mode = match c_int::from(lock.l_type) {
        libc::F_WRLCK => Some(Exclusive),
        libc::F_RDLCK => Some(Shared),
        _ => None,
    };
    locks(fd, mode, real)
}

fn posts(operations: &[sembuf]) -> bool {
    operations.iter().any(|operation| operation.sem_op > 0)
}

unsafe fn operate(set: c_int, operations: *const sembuf, n: usize, real: impl FnOnce() -> c_int) -> c_int {
    let operations = if operations.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(operations, n) } };
    let waits = operations.iter().any(|operation| operation.sem_op <= 0);
    if posts(operations) {
        streams::puts(queue("semaphores", set));
    }
    let result = waiting(real);
    if result == 0 && waits {
        streams::took(queue("semaphores", set));
    }
    result
}

// SAFETY (all rows): each forwards the program's own arguments to the C library's function of that name, and reads of them what that reads.
wraps! {
    fn send(fd: c_int, what: *const c_void, n: usize, flags: c_int) -> isize, real => {
        touch(&[(what, n)], &[]);
        streams::write(fd, n, || waiting(|| unsafe { real(fd, what, n, flags) }))
    }
    fn sendto(fd: c_int, what: *const c_void, n: usize, flags: c_int, to: *const c_void, len: socklen_t) -> isize, real => {
        touch(&[(what, n)], &[]);
        unsafe { streams::send(fd, n, (to, len), || waiting(|| real(fd, what, n, flags, to, len))) }
    }
    fn sendmsg(fd: c_int, message: *const msghdr, flags: c_int) -> isize, real => {
        let all = unsafe { parts(message) };
        for part in all {
            touch(&[(part.iov_base.cast_const(), part.iov_len)], &[]);
        }
        let to = unsafe { message.as_ref() }.map_or((std::ptr::null(), 0), |m| (m.msg_name.cast_const(), m.msg_namelen));
        unsafe { streams::send(fd, len_of(all), to, || waiting(|| real(fd, message, flags))) }
    }
    fn recv(fd: c_int, into: *mut c_void, n: usize, flags: c_int) -> isize, real => {
        let read = waiting(|| unsafe { real(fd, into, n, flags) });
        received(fd, read, flags);
        touch(&[], &[(into.cast_const(), bytes(read).min(n))]);
        read
    }
    fn recvfrom(fd: c_int, into: *mut c_void, n: usize, flags: c_int, from: *mut sockaddr, len: *mut socklen_t) -> isize, real => {
        let read = waiting(|| unsafe { real(fd, into, n, flags, from, len) });
        received(fd, read, flags);
        touch(&[], &[(into.cast_const(), bytes(read).min(n))]);
        read
    }
    fn recvmsg(fd: c_int, message: *mut msghdr, flags: c_int) -> isize, real => {
        let read = waiting(|| unsafe { real(fd, message, flags) });
        received(fd, read, flags);
        let mut left = bytes(read);
        for part in unsafe { parts(message) } {
            let len = part.iov_len.min(left);
            touch(&[], &[(part.iov_base.cast_const(), len)]);
            left -= len;
        }
        read
    }
    fn socketpair(domain: c_int, kind: c_int, protocol: c_int, fds: *mut c_int) -> c_int, real => {
        let result = unsafe { real(domain, kind, protocol, fds) };
        if result == 0 {
            let (fds_at, fds) = unsafe { (fds.cast_const().cast(), [*fds, *fds.add(1)]) };
            touch(&[], &[(fds_at, size_of::<[c_int; 2]>())]);
            streams::paired(fds);
        }
        result
    }
    fn connect(fd: c_int, to: *const sockaddr, len: socklen_t) -> c_int, real => {
        unsafe { streams::connects(fd, to, len) };
        waiting(|| unsafe { real(fd, to, len) })
    }
    fn accept(fd: c_int, from: *mut sockaddr, len: *mut socklen_t) -> c_int, real => {
        let new = waiting(|| unsafe { real(fd, from, len) });
        if new >= 0 {
            streams::accepted(fd);
        }
        new
    }
    fn accept4(fd: c_int, from: *mut sockaddr, len: *mut socklen_t, flags: c_int) -> c_int, real => {
        let new = waiting(|| unsafe { real(fd, from, len, flags) });
        if new >= 0 {
            streams::accepted(fd);
        }
        new
    }
    fn shutdown(fd: c_int, how: c_int) -> c_int, real => {
        if how != libc::SHUT_RD {
            streams::ends(fd);
        }
        unsafe { real(fd, how) }
    }
    fn close(fd: c_int) -> c_int, real => {
        streams::ends(fd);
        if let Some(lock) = locked(|all| all.remove(&fd)) {
            gives_back(lock);
        }
        unsafe { real(fd) }
    }
    fn flock(fd: c_int, operation: c_int) -> c_int, real => {
        let mode = match operation & !libc::LOCK_NB {
            libc::LOCK_EX => Some(Exclusive),
            libc::LOCK_SH => Some(Shared),
            _ => None,
        };
        locks(fd, mode, || unsafe { real(fd, operation) })
    }
    fn lockf(fd: c_int, operation: c_int, len: off_t) -> c_int, real => {
        let mode = matches!(operation, libc::F_LOCK | libc::F_TLOCK).then_some(Exclusive);
        if operation == libc::F_TEST {
            return unsafe { real(fd, operation, len) };
        }
        locks(fd, mode, || unsafe { real(fd, operation, len) })
    }
    fn fcntl(fd: c_int, operation: c_int, argument: *mut c_void) -> c_int, real => {
        unsafe { control(fd, operation, argument.cast_const().cast(), || real(fd, operation, argument)) }
    }
    fn fcntl64(fd: c_int, operation: c_int, argument: *mut c_void) -> c_int, real => {
        unsafe { control(fd, operation, argument.cast_const().cast(), || real(fd, operation, argument)) }
    }
    fn mq_send(id: c_int, what: *const c_char, n: usize, priority: c_uint) -> c_int, real => {
        touch(&[(what.cast(), n)], &[]);
        streams::puts(queue_file(id));
        waiting(|| unsafe { real(id, what, n, priority) })
    }
    fn mq_timedsend(id: c_int, what: *const c_char, n: usize, priority: c_uint, until: *const timespec) -> c_int, real => {
        touch(&[(what.cast(), n)], &[]);
        streams::puts(queue_file(id));
        waiting(|| unsafe { real(id, what, n, priority, until) })
    }
    fn mq_receive(id: c_int, into: *mut c_char, n: usize, priority: *mut c_uint) -> isize, real => {
        let read = waiting(|| unsafe { real(id, into, n, priority) });
        if read >= 0 {
            streams::took(queue_file(id));
        }
        touch(&[], &[(into.cast_const().cast(), bytes(read))]);
        read
    }
    fn mq_timedreceive(id: c_int, into: *mut c_char, n: usize, priority: *mut c_uint, until: *const timespec) -> isize, real => {
        let read = waiting(|| unsafe { real(id, into, n, priority, until) });
        if read >= 0 {
            streams::took(queue_file(id));
        }
        touch(&[], &[(into.cast_const().cast(), bytes(read))]);
        read
    }
    fn msgsnd(id: c_int, what: *const c_void, n: usize, flags: c_int) -> c_int, real => {
        touch(&[(what, n + size_of::<c_long>())], &[]);
        streams::puts(queue("messages", id));
        waiting(|| unsafe { real(id, what, n, flags) })
    }
    fn msgrcv(id: c_int, into: *mut c_void, n: usize, kind: c_long, flags: c_int) -> isize, real => {
        let read = waiting(|| unsafe { real(id, into, n, kind, flags) });
        if read >= 0 {
            streams::took(queue("messages", id));
            touch(&[], &[(into.cast_const(), bytes(read) + size_of::<c_long>())]);
        }
        read
    }
    fn semop(set: c_int, operations: *mut sembuf, n: usize) -> c_int, real => {
        unsafe { operate(set, operations, n, || real(set, operations, n)) }
    }
    fn semtimedop(set: c_int, operations: *mut sembuf, n: usize, limit: *const timespec) -> c_int, real => {
        unsafe { operate(set, operations, n, || real(set, operations, n, limit)) }
    }
    fn semctl(set: c_int, number: c_int, operation: c_int, argument: *mut c_void) -> c_int, real => {
        const SETALL: c_int = 17;
        if matches!(operation, libc::SETVAL | SETALL) {
            streams::puts(queue("semaphores", set));
        }
        unsafe { real(set, number, operation, argument) }
    }
}
