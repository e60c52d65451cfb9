//! Private memory: which block is which while there are several threads, so that two uses of one address are not taken for one; and what
//! is given back while an operation still uses it.
//!
//! The program's own calls are redirected at link time, as in [`crate::memory`]. C++'s `operator new` and `delete` are replaced for
//! the whole process, the standard library's own uses included.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use crate::entry::entries;
use crate::rank::{THREADED, observe};
use libc::{c_char, c_int, c_void, size_t};
use std::sync::atomic::{AtomicUsize, Ordering};
use thrille_model::{Act, Interval, Kind};

fn allocated(at: *mut c_void, len: usize) -> *mut c_void {
    if THREADED.load(Ordering::Relaxed)
        && !at.is_null()
        && let Some(observed) = observe()
    {
        observed.session.rank().allocated(observed.recorder, at as u64, len as u64);
    }
    at
}

/// The program gives memory back. True: somebody else will, later.
fn freed(at: *mut c_void) -> bool {
    if !at.is_null()
        && let Some(mut observed) = observe()
    {
        // SAFETY: the program is about to give back what it was given.
        let usable = unsafe { libc::malloc_usable_size(at) };
        if observed.confirms() {
            observed.touch(at as u64, usable as u64, Kind::Write, Act::LibraryCall);
            return false;
        }
        // SAFETY: what the program gave back before, and was told that it is.
        let give_back = |address: u64| unsafe { libc::free(address as *mut c_void) };
        return observed.session.rank().freed(observed.recorder, at as u64, usable as u64, observed.pc, give_back);
    }
    false
}

/// The stack of a thread that begins: its addresses may have been another thread's. Where it has no limit, the system says that it reaches down to
/// the heap, which grows into that: what is further away than any stack is not taken for one.
pub fn thread_stack() -> Option<(u64, u64)> {
    const LONGEST: u64 = 1 << 40;
    // SAFETY: asks about the calling thread, with variables of our own.
    unsafe {
        let mut attributes = std::mem::zeroed::<libc::pthread_attr_t>();
        if libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) != 0 {
            return None;
        }
        let (mut base, mut len) = (std::ptr::null_mut(), 0);
        let known = libc::pthread_attr_getstack(&raw const attributes, &raw mut base, &raw mut len) == 0;
        libc::pthread_attr_destroy(&raw mut attributes);
        let (end, len) = (base as u64 + len as u64, (len as u64).min(LONGEST));
        known.then_some((end - len, len))
    }
}

/// The thread-local variables of the calling thread. Threads have different ones.
pub fn thread_local_memory() -> Vec<Interval> {
    unsafe extern "C" fn add(info: *mut libc::dl_phdr_info, _: usize, into: *mut c_void) -> c_int {
        // SAFETY: the linker's description of one file, and the vector below.
        unsafe {
            let (info, into) = (&*info, &mut *into.cast::<Vec<Interval>>());
            if !info.dlpi_tls_data.is_null() && !info.dlpi_phdr.is_null() {
                let headers = std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum as usize);
                let len =
                    headers.iter().filter(|header| header.p_type == libc::PT_TLS).map(|header| header.p_memsz).sum();
                into.extend(Interval::from_len(info.dlpi_tls_data as u64, len).ok());
            }
        }
        0
    }
    let mut all = Vec::<Interval>::new();
    // SAFETY: calls the function above with the vector, and with nothing else that is ours.
    unsafe { libc::dl_iterate_phdr(Some(add), (&raw mut all).cast()) };
    all
}

// SAFETY (all rows): each body forwards the program's own arguments to the function it meant to call.
entries! {
    __wrap_ fn malloc(len: size_t) -> *mut c_void {
        allocated(unsafe { libc::malloc(len) }, len)
    }
    __wrap_ fn calloc(count: size_t, size: size_t) -> *mut c_void {
        allocated(unsafe { libc::calloc(count, size) }, count.saturating_mul(size))
    }
    __wrap_ fn realloc(at: *mut c_void, len: size_t) -> *mut c_void {
        if len == 0 || !freed(at) {
            return allocated(unsafe { libc::realloc(at, len) }, len);
        }
        // The old memory stays where it is for a while.
        let new = allocated(unsafe { libc::malloc(len) }, len);
        if !new.is_null() {
            unsafe { libc::memcpy(new, at, len.min(libc::malloc_usable_size(at))) };
        }
        new
    }
    __wrap_ fn free(at: *mut c_void) {
        if !freed(at) {
            unsafe { libc::free(at) }
        }
    }
    __wrap_ fn posix_memalign(into: *mut *mut c_void, align: size_t, len: size_t) -> c_int {
        let result = unsafe { libc::posix_memalign(into, align, len) };
        if result == 0 {
            allocated(unsafe { *into }, len);
        }
        result
    }
    __wrap_ fn aligned_alloc(align: size_t, len: size_t) -> *mut c_void {
        allocated(unsafe { libc::aligned_alloc(align, len) }, len)
    }
    __wrap_ fn memalign(align: size_t, len: size_t) -> *mut c_void {
        allocated(unsafe { libc::memalign(align, len) }, len)
    }
    __wrap_ fn strdup(text: *const c_char) -> *mut c_char {
        crate::memory::read_string(text);
        let copy = unsafe { libc::strdup(text) };
        if !copy.is_null() {
            allocated(copy.cast(), unsafe { libc::strlen(copy) } + 1);
        }
        copy
    }
}

/// What `operator new` allocates; null when it has to fail.
fn new(len: usize, align: usize) -> *mut c_void {
    let len = len.max(1);
    // SAFETY: plain allocation.
    allocated(unsafe { if align <= 16 { libc::malloc(len) } else { libc::memalign(align, len) } }, len)
}

/// Defines a form of `operator new`. One that fails goes on to the C++ library's own, which fails again and throws: nothing may be
/// thrown through a frame of ours.
macro_rules! news {
    ($($symbol:ident $allocate:ident $real:ident ($($arg:ident),*) $align:expr;)*) => { $(
        static $real: AtomicUsize = AtomicUsize::new(0);
        #[allow(non_snake_case)]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol() {
            core::arch::naked_asm!(
                "push rdi",
                "push rsi",
                "sub rsp, 8",
                "call {allocate}",
                "add rsp, 8",
                "pop rsi",
                "pop rdi",
                "test rax, rax",
                "jz 2f",
                "ret",
                "2:",
                "jmp qword ptr [rip + {real}]",
                allocate = sym $allocate,
                real = sym $real,
            )
        }
        extern "C" fn $allocate(len: size_t $(, $arg: size_t)*) -> *mut c_void {
            let at = new(len, $align);
            if at.is_null() {
                // SAFETY: looks behind this library for the function of the same name.
                let found = unsafe { libc::dlsym(libc::RTLD_NEXT, concat!(stringify!($symbol), "\0").as_ptr().cast()) };
                let abort = libc::abort as unsafe extern "C" fn() -> !;
                $real.store(if found.is_null() { abort as usize } else { found as usize }, Ordering::Release);
            }
            at
        }
    )* };
}

news! {
    _Znwm allocate REAL_NEW () 1;
    _Znam allocate_array REAL_NEW_ARRAY () 1;
    _ZnwmSt11align_val_t allocate_aligned REAL_NEW_ALIGNED (align) align;
    _ZnamSt11align_val_t allocate_array_aligned REAL_NEW_ARRAY_ALIGNED (align) align;
}

macro_rules! deletes {
    ($($name:ident ($($arg:ident),*);)*) => { entries! { $(
        _Z fn $name(at: *mut c_void $(, $arg: size_t)*) {
            if !freed(at) {
                unsafe { libc::free(at) }
            }
        }
    )* } };
}

// SAFETY (all rows): what `operator new` above made came from `malloc`.
deletes! {
    dlPv();
    daPv();
    dlPvm(_len);
    daPvm(_len);
    dlPvSt11align_val_t(_align);
    daPvSt11align_val_t(_align);
    dlPvmSt11align_val_t(_len, _align);
    daPvmSt11align_val_t(_len, _align);
}
