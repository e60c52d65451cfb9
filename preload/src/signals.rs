//! Signal handlers of the program.
//!
//! A handler runs at any moment: between two instructions of the program, or in the middle of what this library does for one of its calls, with its locks
//! taken. What it does is its thread's doing, and looked at where nothing of ours is under way: it has interrupted the program's own code, or a call that sends a signal
//! or waits. Elsewhere it is not. What it interrupts finds its thread's block as it was. The handlers are the program's own, also
//! for who asks which one is installed.
//!
//! Such a handler may leave by `siglongjmp`. Then its thread goes on where it jumps to as if it had returned there.

use crate::confirm::CONFIRMING;
use crate::entry::block;
use crate::last;
use crate::rank::{is_in_foreign, observe};
use crate::real::Real;
use libc::{c_int, c_void, sighandler_t, siginfo_t};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The program's handlers, by signal.
static HANDLERS: [AtomicUsize; 65] = [const { AtomicUsize::new(0) }; 65];

/// What the system calls instead of them.
unsafe extern "C" fn handle(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let Some(handler) = usize::try_from(signal).ok().and_then(|signal| HANDLERS.get(signal)) else { return };
    let handler = handler.load(Ordering::Acquire);
    // A handler of the communication library's says where the process was, and ends it.
    if FATAL.contains(&signal) && (handler == libc::SIG_DFL || is_in_foreign(handler as u64)) {
        // SAFETY: the system describes the signal.
        unsafe { ends(signal, info, handler) };
    }
    if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
        return;
    }
    let block = block();
    // SAFETY: the block is this thread's own, and the system says what was interrupted. The handler is what the program installed for this signal; on this machine one that wants its
    // number alone does not see the other arguments, which the system passes to either.
    unsafe {
        let registers = &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let (at, stack) = (registers[libc::REG_RIP as usize] as u64, registers[libc::REG_RSP as usize] as u64);
        let (pc, sp, depth, idle) = ((*block).pc, (*block).sp, (*block).depth, (*block).idle);
        let is_between = depth == 0 && (idle > 0 || is_in_program(at));
        let mut handling = Handling { interrupted: stack, is_between, outer: (*block).handling };
        (*block).handling = &raw mut handling;
        if is_between && !CONFIRMING.load(Ordering::Relaxed) {
            (*block).idle = 0;
            wakes();
        } else {
            (*block).depth += 1;
        }
        std::mem::transmute::<usize, unsafe extern "C" fn(c_int, *mut siginfo_t, *mut c_void)>(handler)(
            signal, info, context,
        );
        (*block).handling = handling.outer;
        ((*block).pc, (*block).sp, (*block).depth, (*block).idle) = (pc, sp, depth, idle);
    }
}

/// A handler that a thread is in.
pub struct Handling {
    /// The stack pointer of what it interrupted.
    interrupted: u64,
    /// Whether nothing of ours is under way meanwhile.
    is_between: bool,
    /// The handler that it interrupted in turn.
    outer: *mut Self,
}

/// Runs something in which a signal may come to this thread while nothing of our own is under way.
pub fn interruptible<R>(f: impl FnOnce() -> R) -> R {
    let block = block();
    // SAFETY: the block is this thread's own.
    let before = unsafe { std::mem::replace(&mut (*block).idle, 1) };
    let result = f();
    // SAFETY: as above.
    unsafe { (*block).idle = before };
    result
}

/// A thread that waited does something all the same.
fn wakes() {
    if let Some(observed) = observe() {
        observed.session.rank().wake(observed.recorder);
    }
}

/// The program's own machine code.
static PROGRAM: OnceLock<Vec<(u64, u64)>> = OnceLock::new();

/// Finds it.
pub fn find_program() {
    unsafe extern "C" fn first(info: *mut libc::dl_phdr_info, _size: usize, found: *mut c_void) -> c_int {
        // SAFETY: the system describes a loaded file, the program being the first; the other one is the list below.
        unsafe {
            let (info, found) = (&*info, &mut *found.cast::<Vec<(u64, u64)>>());
            let parts = std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
            let code = parts.iter().filter(|part| part.p_type == libc::PT_LOAD && part.p_flags & libc::PF_X != 0);
            found.extend(code.map(|part| {
                let start = info.dlpi_addr + part.p_vaddr;
                (start, start + part.p_memsz)
            }));
        }
        1
    }
    let mut found = Vec::new();
    // SAFETY: a function of the right type, and the list it adds to.
    unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut found).cast()) };
    let _ = PROGRAM.set(found);
}

fn is_in_program(address: u64) -> bool {
    PROGRAM.get().is_some_and(|code| code.iter().any(|&(start, end)| start <= address && address < end))
}

/// The thread goes on at a place that was noted before: out of all handlers that interrupted what was called from there.
unsafe fn jumps(to: *const u64) {
    /// Where glibc keeps the stack pointer in it, and how it is written there.
    const STACK: usize = 6;
    const TURNED: u32 = 17;
    let guard: u64;
    let block = block();
    // SAFETY: reads a number of this thread's that the C library keeps there, and a place that the program says was noted; the block is this thread's own, and handlers that it is in are
    // on its stack.
    unsafe {
        std::arch::asm!("mov {0}, qword ptr fs:[0x30]", out(reg) guard, options(nostack, readonly, preserves_flags));
        let stack = (*to.add(STACK)).rotate_right(TURNED) ^ guard;
        while let Some(handling) = (*block).handling.as_ref().filter(|handling| handling.interrupted <= stack) {
            (*block).handling = handling.outer;
            (*block).idle = 0;
            // What else it has interrupted may have been something of ours, which nobody will finish.
            if handling.is_between {
                (*block).depth = 0;
            }
        }
    }
}

// SAFETY (all rows): each forwards the program's own arguments.
#[allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]
mod sends {
    use super::{c_int, c_void, interruptible, jumps};
    use crate::entry::wraps;

    wraps! {
        fn longjmp(to: *const c_void, value: c_int) -> c_int, real => {
            unsafe { jumps(to.cast()) };
            unsafe { real(to, value) }
        }
        fn _longjmp(to: *const c_void, value: c_int) -> c_int, real => {
            unsafe { jumps(to.cast()) };
            unsafe { real(to, value) }
        }
        fn siglongjmp(to: *const c_void, value: c_int) -> c_int, real => {
            unsafe { jumps(to.cast()) };
            unsafe { real(to, value) }
        }
        fn raise(signal: c_int) -> c_int, real => {
            interruptible(|| unsafe { real(signal) })
        }
        fn kill(process: c_int, signal: c_int) -> c_int, real => {
            interruptible(|| unsafe { real(process, signal) })
        }
        fn pthread_kill(thread: u64, signal: c_int) -> c_int, real => {
            interruptible(|| unsafe { real(thread, signal) })
        }
        fn pause() -> c_int, real => {
            interruptible(|| unsafe { real() })
        }
        fn sigsuspend(mask: *const c_void) -> c_int, real => {
            interruptible(|| unsafe { real(mask) })
        }
    }
}

/// What ends a process that has no handler for it, and comes of what its program does.
const FATAL: [c_int; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT];

/// Has these signals come here where the program has no handler, so that the last cut is made before the process ends.
pub fn watch_for_the_end() {
    for signal in FATAL {
        // SAFETY: structures of our own; a handler that can be called at any time, and that ends the process as it would have ended without it.
        unsafe {
            let mut now = std::mem::zeroed::<libc::sigaction>();
            if real_sigaction(signal, std::ptr::null(), &raw mut now) == 0 && now.sa_sigaction == libc::SIG_DFL {
                now.sa_sigaction = handle_address();
                now.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                real_sigaction(signal, &raw const now, std::ptr::null_mut());
            }
        }
    }
}

/// A signal that ends this process.
unsafe fn ends(signal: c_int, info: *mut siginfo_t, handler: usize) {
    // SAFETY: as the caller says; the action is our own.
    unsafe {
        // What another process sends may have interrupted anything.
        if (*info).si_code != libc::SI_USER {
            last::call_from_handler();
        }
        if handler == libc::SIG_DFL {
            let mut action = std::mem::zeroed::<libc::sigaction>();
            action.sa_sigaction = libc::SIG_DFL;
            real_sigaction(signal, &raw const action, std::ptr::null_mut());
            libc::raise(signal);
        }
    }
}

fn handle_address() -> sighandler_t {
    handle as *const () as sighandler_t
}

/// What is to be installed in place of a handler, once that is noted, and the one that was noted before.
fn note(signal: c_int, handler: sighandler_t) -> (sighandler_t, sighandler_t) {
    let own = matches!(handler, libc::SIG_DFL | libc::SIG_IGN | libc::SIG_ERR) || handler == handle_address();
    match usize::try_from(signal).ok().and_then(|signal| HANDLERS.get(signal)) {
        Some(noted) if own => (handler, noted.load(Ordering::Acquire)),
        Some(noted) => (handle_address(), noted.swap(handler, Ordering::AcqRel)),
        None => (handler, libc::SIG_DFL),
    }
}

/// The program's handler, if it is the one that was installed.
fn meant(installed: sighandler_t, before: sighandler_t) -> sighandler_t {
    if installed == handle_address() { before } else { installed }
}

/// The C library's function.
///
/// # Safety
/// As that one's.
unsafe fn real_sigaction(signal: c_int, new: *const libc::sigaction, old: *mut libc::sigaction) -> c_int {
    static REAL: Real = Real::new(b"sigaction\0");
    type Function = unsafe extern "C" fn(c_int, *const libc::sigaction, *mut libc::sigaction) -> c_int;
    let address = REAL.get();
    if address == 0 {
        return -1;
    }
    // SAFETY: the C library's function of this name has this type.
    unsafe { std::mem::transmute::<usize, Function>(address)(signal, new, old) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sigaction(signal: c_int, new: *const libc::sigaction, old: *mut libc::sigaction) -> c_int {
    // SAFETY: the program's pointers are what it wants to be read and written.
    unsafe {
        let mut copy = new.as_ref().copied();
        let before = match &mut copy {
            Some(new) => {
                let (install, before) = note(signal, new.sa_sigaction);
                new.sa_sigaction = install;
                before
            }
            None => note(signal, libc::SIG_DFL).1,
        };
        let result = real_sigaction(signal, copy.as_ref().map_or(std::ptr::null(), std::ptr::from_ref), old);
        if let (0, Some(old)) = (result, old.as_mut()) {
            old.sa_sigaction = meant(old.sa_sigaction, before);
        }
        result
    }
}

/// The functions that install a handler and return the former one.
macro_rules! simple {
    ($( $name:ident )*) => { $(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(signal: c_int, handler: sighandler_t) -> sighandler_t {
            static REAL: Real = Real::new(concat!(stringify!($name), "\0").as_bytes());
            let address = REAL.get();
            if address == 0 {
                return libc::SIG_ERR;
            }
            let (install, before) = note(signal, handler);
            // SAFETY: the C library's function of this name has this type.
            let real = unsafe {
                std::mem::transmute::<usize, unsafe extern "C" fn(c_int, sighandler_t) -> sighandler_t>(address)
            };
            // SAFETY: the handler is the program's, or the one above that calls it.
            meant(unsafe { real(signal, install) }, before)
        }
    )* };
}

simple! { signal bsd_signal sysv_signal __sysv_signal }
