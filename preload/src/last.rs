//! The last cut of a job that ends before its time.
//!
//! What the ranks have recorded since their last cut is in their memory, and a cut needs them all. A rank that ends the job (`MPI_Abort`, `exit` without finalising, a failed `assert`, a
//! segmentation fault) therefore *calls* the others first. They need not come to a barrier for it: in each rank a thread of the detector's own listens, and makes the last cut in place of
//! the program's first thread, as soon as that one is inside the communication library. It does not come out of there before the cut is over. Then the caller goes on to
//! its end, and the launcher ends the others, as it would have done without us.
//!
//! A rank whose first thread does not come to the library in time is not waited for: its records since the last cut are lost, and the others go on without it. Of a rank's other threads
//! what they recorded at their last event is there. In the rank that calls, the thread that does so stands for the first one.
//!
//! No rank tells anything false by this: at a place inside the library everything is recorded that the thread did before, and nothing that it does behind it is.
//!
//! | state | written by | invariant |
//! |---|---|---|
//! | [`PLACE`] | who calls, once | shared by the ranks of a machine; the call is what it holds |
//! | [`Block::inside`](crate::entry::Block) | its thread | [`IN`]: its recorder is nobody's |
//! | [`STOPS`] | the listener | from then on the first thread does not leave the library |
//! | [`Maker`] | who begins the last exchange | one does |
//!
//! That the first thread writes `inside` and reads `STOPS`, while the listener writes `STOPS` and reads `inside`, would take a fence in each call into the library. The listener
//! has the system put it there ([`fence_all`]), so a call takes two stores and a load.

use crate::confirm::CONFIRMING;
use crate::entry::{Block, block};
use crate::rank::{self, Maker, is_over};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How many numbers the ranks share.
pub const SHARED: u64 = 1;

/// The thread is in the program, or in our own code.
const OUT: u64 = 0;
/// It is inside the library.
const IN: u64 = 1;
/// It is inside the library, and has not told everything that it did before.
#[cfg(feature = "mpi")]
const BUSY: u64 = 2;

/// How long a rank waits for its first thread to come to the library.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long the exchanges of the last cut may take.
const EXCHANGE: Duration = Duration::from_secs(5);
/// How long who calls waits for all that.
const ALL: Duration = Duration::from_secs(10);
/// How often is looked whether the first thread has come.
const LOOKS_EVERY: Duration = Duration::from_micros(200);

/// How a job comes to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// The launcher ends everybody.
    Ends = 1,
    /// A process leaves; others may go on.
    #[cfg(feature = "mpi")]
    Leaves = 2,
}

/// Where the ranks of this machine call each other; null where they share nothing.
static PLACE: AtomicPtr<AtomicU32> = AtomicPtr::new(null_mut());
/// The block of the program's first thread, once the listener is there; of a thread that calls, from then on.
static FIRST: AtomicPtr<Block> = AtomicPtr::new(null_mut());
/// The first thread does not leave the library any more.
static STOPS: AtomicBool = AtomicBool::new(false);
/// The listener has done what it could: 1.
static DONE: AtomicU32 = AtomicU32::new(0);

/// The ranks share this number, which stays where it is.
pub fn share(place: *const AtomicU64) {
    PLACE.store(place.cast_mut().cast(), Ordering::Release);
}

fn place() -> Option<&'static AtomicU32> {
    // SAFETY: in a mapping that lives as long as the process.
    unsafe { PLACE.load(Ordering::Acquire).as_ref() }
}

/// The calling thread is the program's first; a listener is started by `spawn`.
pub fn listen(spawn: fn(Box<dyn FnOnce() + Send>) -> bool) {
    let Some(place) = place() else { return };
    // SAFETY: makes it known that this process uses it.
    let registered = unsafe { libc::syscall(libc::SYS_membarrier, REGISTER, 0, 0) } == 0;
    let called = move || {
        wait(place, 0, None);
        answer(place.load(Ordering::Acquire) == Call::Ends as u32);
        DONE.store(1, Ordering::Release);
        wake(&DONE);
    };
    if registered && spawn(Box::new(called)) {
        FIRST.store(block(), Ordering::Release);
    }
}

const REGISTER: i32 = 1 << 4;
const FENCE: i32 = 1 << 3;

/// Each of this process's threads has done a full fence between the call of this and its return.
fn fence_all() {
    // SAFETY: no memory is involved.
    unsafe { libc::syscall(libc::SYS_membarrier, FENCE, 0, 0) };
}

/// Somebody has called.
fn answer(ends: bool) {
    if FIRST.load(Ordering::Acquire).is_null() || CONFIRMING.load(Ordering::Relaxed) {
        return;
    }
    STOPS.store(true, Ordering::SeqCst);
    fence_all();
    let end = Instant::now() + PATIENCE;
    let first = loop {
        let first = FIRST.load(Ordering::Acquire);
        // SAFETY: the block of the first thread, which has not been detached, or of one that waits to end the process; a word of it that nobody else writes.
        if !first.is_null() && unsafe { (&raw const (*first).inside).read_volatile() } == IN {
            break first;
        }
        if is_over() {
            // The program has come to its own end.
            return;
        }
        if Instant::now() > end {
            if ends {
                rank::give_up();
            } else {
                // It goes on, as far as it can.
                STOPS.store(false, Ordering::SeqCst);
            }
            return;
        }
        std::thread::sleep(LOOKS_EVERY);
    };
    std::sync::atomic::fence(Ordering::Acquire);
    // SAFETY: the thread is inside the library and stays there, so nobody else uses its recorder; if it has one, that lives until the thread is detached, which it does itself.
    if let Some(recorder) = unsafe { (*first).recorder.as_mut() } {
        rank::last_exchange(recorder, EXCHANGE);
    }
}

/// A thread is observed no longer.
pub fn detached(block: *mut Block) {
    let _ = FIRST.compare_exchange(block, null_mut(), Ordering::AcqRel, Ordering::Relaxed);
}

/// Runs a call of the library, in which this thread may have to wait for others.
#[inline]
pub fn inside<R>(real: impl FnOnce() -> R) -> R {
    let block = block();
    // SAFETY: the block is this thread's own.
    let outer = unsafe { (*block).inside };
    if outer != OUT {
        return real();
    }
    // SAFETY: as above.
    unsafe { (&raw mut (*block).inside).write_volatile(IN) };
    let result = real();
    // SAFETY: as above.
    unsafe { (&raw mut (*block).inside).write_volatile(OUT) };
    if STOPS.load(Ordering::Relaxed) {
        stop(block);
    }
    result
}

/// The thread comes out of a call: nothing is half done.
#[inline]
pub fn between_calls(block: *mut Block) {
    if STOPS.load(Ordering::Relaxed) {
        stop(block);
    }
}

/// The same as [`inside`] for a call that is made while something waits to be told.
#[cfg(feature = "mpi")]
#[inline]
pub fn busy<R>(real: impl FnOnce() -> R) -> R {
    let block = block();
    // SAFETY: the block is this thread's own.
    let outer = unsafe { (&raw mut (*block).inside).replace(BUSY) };
    let result = real();
    // SAFETY: as above.
    unsafe { (&raw mut (*block).inside).write_volatile(outer) };
    result
}

/// Leaves the library for a function of the program that it calls, and comes back.
#[cfg(feature = "mpi")]
pub fn outside<R>(program: impl FnOnce() -> R) -> R {
    let block = block();
    // SAFETY: the block is this thread's own.
    let outer = unsafe { (&raw mut (*block).inside).replace(OUT) };
    if outer != OUT && STOPS.load(Ordering::Relaxed) {
        stop(block);
    }
    let result = program();
    // SAFETY: as above.
    unsafe { (&raw mut (*block).inside).write_volatile(outer) };
    result
}

/// The first thread stays where it is until the last cut is over. After that nothing that it does counts.
#[cold]
fn stop(block: *mut Block) {
    if block != FIRST.load(Ordering::Acquire) || Maker::Itself.has_begun() {
        return;
    }
    // SAFETY: the block is this thread's own.
    unsafe { (&raw mut (*block).inside).write_volatile(IN) };
    wait(&DONE, 0, Some(ALL));
    // SAFETY: as above. Who has a reference to the recorder keeps it: it is not freed.
    unsafe {
        (&raw mut (*block).inside).write_volatile(OUT);
        if Maker::Listener.has_begun() {
            (*block).recorder = null_mut();
            crate::entry::set_known(None);
        }
    }
}

/// The calling thread is about to end its process. Whether the last cut was made, or tried: there is none to be made by itself.
#[cfg(feature = "mpi")]
pub fn call(call: Call) -> bool {
    // What waits to be told of it.
    drop(rank::observe());
    call_from(block(), call)
}

fn call_from(block: *mut Block, call: Call) -> bool {
    let (Some(place), false) = (place(), FIRST.load(Ordering::Acquire).is_null()) else { return false };
    if is_over() || CONFIRMING.load(Ordering::Relaxed) {
        return false;
    }
    // SAFETY: the block is this thread's own. A strand that waits here is at hand, whatever the first one is about.
    if unsafe { !(*block).recorder.is_null() } {
        FIRST.store(block, Ordering::Release);
    }
    let _ = place.compare_exchange(0, call as u32, Ordering::AcqRel, Ordering::Relaxed);
    wake(place);
    // SAFETY: the block is this thread's own.
    unsafe {
        let outer = (&raw mut (*block).inside).replace(IN);
        wait(&DONE, 0, Some(ALL));
        (&raw mut (*block).inside).write_volatile(outer);
    }
    Maker::Listener.has_begun()
}

/// The same from a signal handler, wherever the thread was interrupted: nothing here takes a lock or memory. In our own code its recorder may be half changed.
pub fn call_from_handler() {
    let block = block();
    // SAFETY: the block is this thread's own.
    let (depth, inside) = unsafe { ((*block).depth, (*block).inside) };
    if inside == IN || (inside == OUT && depth == 0) {
        call_from(block, Call::Ends);
    }
}

/// Waits while a word holds a value.
fn wait(word: &AtomicU32, value: u32, within: Option<Duration>) {
    let end = within.map(|within| Instant::now() + within);
    while word.load(Ordering::Acquire) == value {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            return;
        }
        let left = left.map(|left| libc::timespec {
            tv_sec: left.as_secs() as libc::time_t,
            tv_nsec: libc::c_long::from(left.subsec_nanos()),
        });
        let left = left.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: the word lives as long as the process, the time until this returns.
        unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, value, left) };
    }
}

/// Wakes all who wait so, of all processes that share the word.
fn wake(word: &AtomicU32) {
    // SAFETY: the word is there.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}
