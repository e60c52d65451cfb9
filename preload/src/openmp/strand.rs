//! The strand of an OpenMP thread, observed or aside.
//!
//! While a thread waits in the runtime, nothing that it does is the program's: the runtime combines reductions there by calling code of
//! the program, and sleeps on condition variables of its own. The strand is then set aside. A task that the thread runs meanwhile is
//! the program again.
//!
//! *Whose time it is.* A thread that goes from one task to another changes strands ([`switch`]). Tasks that are bound to it, and what it does
//! outside of tasks, follow each other: each releases a token of the thread when the thread leaves it, and acquires the last such token
//! when the thread comes to it.

use super::tasks::{Mark, Task, lock, names};
use crate::allocation::{thread_local_memory, thread_stack};
use crate::entry::{block, set_known};
use crate::link::Link;
use crate::rank::SESSION;
use crate::threads;
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use thrille_model::{Pos, Strand, Token};
use thrille_runtime::{POOL, Rank, Recorder, Session};

thread_local! {
    static ASIDE: Cell<*mut Recorder> = const { Cell::new(std::ptr::null_mut()) };
}

/// Sets this thread's strand aside, or takes it back.
pub fn aside(yes: bool) {
    let block = block();
    // SAFETY: the block is this thread's own, and the pointer is moved, not copied; the recorder lives until the thread is detached.
    unsafe {
        if yes && !(*block).recorder.is_null() {
            ASIDE.set(std::mem::replace(&mut (*block).recorder, std::ptr::null_mut()));
            set_known(None);
        } else if !yes && !ASIDE.get().is_null() {
            (*block).recorder = ASIDE.replace(std::ptr::null_mut());
            set_known(Some((*(*block).recorder).quick()));
        }
    }
}

/// What a thread of tasks has.
#[derive(Clone, Copy)]
pub struct Thread {
    /// Names the tokens of its time.
    line: u64,
    /// The last of them; 0 if there is none yet.
    last: u64,
    /// Where its stack ends.
    stack: u64,
}

impl Thread {
    /// The last token of its time.
    pub fn mark(self) -> Option<Mark> {
        (self.last > 0).then_some((self.line, self.last))
    }

    /// The next.
    pub fn next(&mut self) -> Mark {
        self.last += 1;
        (self.line, self.last)
    }

    /// What of its stack is below an address.
    pub fn stack_below(self, end: u64) -> (u64, u64) {
        (self.stack.max(end.saturating_sub(LARGEST)), end)
    }
}

thread_local! {
    static THREAD: Cell<Option<Thread>> = const { Cell::new(None) };
}

/// A thread goes from one task to another.
pub struct Switch {
    /// Where the strand of the task that it leaves stood when that task was complete.
    pub end: Option<Pos>,
    /// The other one begins.
    pub begins: bool,
    /// Where the stack was when the runtime told.
    pub sp: u64,
}

/// More than the runtime's frames around the call that told us of a task differ from those around the call of the task itself, and less
/// than there are between two tasks on one stack.
pub const SLACK: u64 = 192;
/// What of a frame is above the address that it is known by: that of the frame before, and where to return to.
pub const SLACK_ABOVE: u64 = 16;
/// Stacks that are larger are taken to be that large.
pub const LARGEST: u64 = 256 << 20;

/// It is what it is now.
pub fn thread_is(thread: Thread) {
    THREAD.set(Some(thread));
}

/// This thread, as far as tasks are concerned.
pub fn thread(recorder: &mut Recorder) -> Thread {
    THREAD.get().unwrap_or_else(|| {
        let own = own_memory();
        recorder.has_own(own.0, own.1);
        Thread { line: names(1), last: 0, stack: thread_stack().map_or(0, |(base, _)| base) }
    })
}

/// The calling thread takes up the strand of another task.
pub fn switch(
    rank: &mut Rank,
    recorder: &mut Recorder,
    left: Option<&Task>,
    next: &Task,
    Switch { end, begins, sp }: Switch,
) {
    let mut thread = thread(recorder);
    let over = end.and(left).map_or(0, |left| left.frames.load(Ordering::Relaxed));
    let below = over.max(sp + SLACK);
    let (start, below) = thread.stack_below(below);
    rank.renew(recorder, start, below);
    if begins {
        next.frames.store(below, Ordering::Relaxed);
    }
    let mut role = lock(&next.role).take();
    if role.is_none() && left.is_some() && begins && next.deferred && super::parallel::on() {
        role = rank.task_begins(recorder, token(recorder, next.created()));
        next.own.store(role.is_some(), Ordering::Relaxed);
    }
    if let (Some(left), Some(role)) = (left, role) {
        if recorder.is_bound() {
            let mark = thread.next();
            rank.release(recorder, token(recorder, mark));
            left.paused.store(thread.last, Ordering::Relaxed);
        }
        let former = rank.play(recorder, role);
        match end {
            Some(end) if left.own.load(Ordering::Relaxed) => rank.retire(&former, end),
            _ => *lock(&left.role) = Some(former),
        }
        match thread.mark().map(|mark| token(recorder, mark)) {
            Some(mark) if !recorder.is_bound() => recorder.comes_after(mark),
            Some(mark) if next.paused.load(Ordering::Relaxed) != thread.last => rank.acquire(recorder, mark),
            _ => {}
        }
    }
    THREAD.set(Some(thread));
}

/// The calling thread's static thread-local memory: where, and how much.
fn own_memory() -> (u64, u64) {
    /// All of it is right below the thread's own data; what was loaded later is elsewhere, and not known.
    const NEAR: u64 = 1 << 20;
    let end: u64;
    // SAFETY: the first word of a thread's own data is its address.
    unsafe { std::arch::asm!("mov {}, fs:[0]", out(reg) end, options(nostack, readonly, preserves_flags)) };
    let near = |start: &u64| *start < end && end - *start < NEAR;
    let start = thread_local_memory().iter().map(|part| part.lo()).filter(near).min().unwrap_or(end);
    (start, end - start)
}

/// The calling task uses what its thread has for itself.
pub fn bind() {
    // SAFETY: the block is this thread's own; at depth 0 nobody in this thread has a reference to its recorder.
    let recorder = unsafe { (*block()).recorder.as_mut().filter(|_| (*block()).depth == 0) };
    if super::serial::on() {
        return tell(Rank::bind_task);
    }
    let recorder = recorder.map(|recorder| {
        recorder.gains();
        &*recorder
    });
    let followed = super::parallel::on() && recorder.is_some_and(|recorder| !recorder.is_bound_to());
    if followed || recorder.is_some_and(|recorder| !recorder.is_bound()) {
        tell(Rank::bind);
    }
}

/// What follows is called for there in the program; null if that is not known.
pub fn called_at(code: *const c_void) {
    let block = block();
    // SAFETY: as in `with`.
    unsafe {
        let recorder = if (*block).recorder.is_null() { ASIDE.get() } else { (*block).recorder };
        if let (Some(recorder), 0) = (recorder.as_mut(), (*block).depth) {
            recorder.calling = code as u64;
        }
    }
}

/// Tells the rank something of this thread's strand, if it has one.
pub fn tell(what: impl FnOnce(&mut Rank, &mut Recorder)) {
    with(|session, recorder| what(&mut session.rank(), recorder));
}

/// Does something with this thread's strand, if it has one.
pub fn with(what: impl FnOnce(&Session<Link>, &mut Recorder)) {
    let block = block();
    let Some(session) = SESSION.get() else { return };
    // SAFETY: the block is this thread's own; at depth 0 nobody in this thread has a reference to its recorder, which lives until the
    // thread is detached.
    unsafe {
        let recorder = if (*block).recorder.is_null() { ASIDE.get() } else { (*block).recorder };
        if recorder.is_null() || (*block).depth > 0 {
            return;
        }
        (*block).depth = 1;
        what(session, &mut *recorder);
        crate::sampled::notice(block);
        (*block).depth = 0;
    }
}

/// What a mark is to the rank.
pub fn token(recorder: &Recorder, (address, round): Mark) -> Token {
    Token::Local { rank: recorder.strand().rank, address, round }
}

/// Everything before comes before who acquires it.
pub fn release(marks: impl IntoIterator<Item = Mark>) {
    tell(|rank, recorder| marks.into_iter().for_each(|mark| rank.release(recorder, token(recorder, mark))));
}

/// Everything after comes after who released it.
pub fn acquire(mark: Mark) {
    tell(|rank, recorder| rank.acquire(recorder, token(recorder, mark)));
}

/// Adds what the thread has counted; at the end of its part of a region, because it may never run again.
pub fn count() {
    let block = block();
    // SAFETY: as in `tell`.
    unsafe {
        if let (Some(session), false, 0) = (SESSION.get(), (*block).recorder.is_null(), (*block).depth) {
            (*block).depth = 1;
            crate::sampled::count(&mut *(*block).recorder);
            session.count(&mut *(*block).recorder);
            (*block).depth = 0;
        }
    }
}

/// Threads of the runtime's that were there before observation began.
static EARLY: AtomicUsize = AtomicUsize::new(0);
/// Strands for them.
static UNBORN: Mutex<Vec<Strand>> = Mutex::new(Vec::new());

/// A thread of the runtime's begins.
pub fn begins() {
    // SAFETY: the block is this thread's own.
    if unsafe { (*block()).recorder.is_null() } {
        EARLY.fetch_add(1, Ordering::Relaxed);
    }
}

/// Before a region: its team may have threads that are not strands yet.
pub fn prepare(team: usize) {
    let missing = EARLY.load(Ordering::Relaxed).min(team);
    if missing > 0 {
        tell(|rank, recorder| {
            crate::rank::has_threads();
            let mut unborn = lock(&UNBORN);
            while unborn.len() < missing {
                unborn.push(rank.fork(recorder));
            }
        });
    }
}

/// The calling thread waits at a barrier of its team, maybe the one at the region's end.
pub fn rests(team: u64) {
    tell(|rank, recorder| rank.rest(recorder, team));
}

/// The calling thread leaves a barrier of its team; so may the others.
pub fn goes_on(team: u64) {
    tell(|rank, recorder| {
        rank.call(recorder, team);
        rank.wake(recorder);
    });
}

/// A region has ended: what waits for its team waits for another one.
pub fn dismisses(team: u64) {
    tell(|rank, recorder| rank.rest_instead(recorder, team, POOL));
}

/// A region begins.
pub fn calls() {
    tell(|rank, recorder| rank.call_anew(recorder, POOL));
}

/// The calling thread begins its part of a region, and knows who called it.
pub fn wakes() {
    tell(|rank, recorder| rank.wake(recorder));
}

/// A thread takes part in a region: if it is none yet, it becomes a strand.
pub fn joins_team() {
    aside(false);
    // SAFETY: the block is this thread's own.
    let is_strand = unsafe { !(*block()).recorder.is_null() };
    if !is_strand && SESSION.get().is_some() {
        let strand = lock(&UNBORN).pop();
        if let Some(strand) = strand {
            EARLY.fetch_sub(1, Ordering::Relaxed);
            threads::becomes(strand);
        }
    }
}
