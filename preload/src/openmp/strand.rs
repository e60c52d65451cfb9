//! The strand of an OpenMP thread, observed or aside.
//!
//! While a thread waits in the runtime, nothing that it does is the program's: the runtime combines reductions there by calling code of
//! the program, and sleeps on condition variables of its own. The strand is then set aside. A task that the thread runs meanwhile is
//! the program again.

use super::tasks::{Mark, lock};
use crate::entry::block;
use crate::rank::SESSION;
use crate::threads;
use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use thrille_model::{Strand, Token};
use thrille_runtime::{Rank, Recorder};

thread_local! {
    static ASIDE: Cell<*mut Recorder> = const { Cell::new(std::ptr::null_mut()) };
}

/// Sets this thread's strand aside, or takes it back.
pub fn aside(yes: bool) {
    let block = block();
    // SAFETY: the block is this thread's own, and the pointer is moved, not copied.
    unsafe {
        if yes && !(*block).recorder.is_null() {
            ASIDE.set(std::mem::replace(&mut (*block).recorder, std::ptr::null_mut()));
        } else if !yes && !ASIDE.get().is_null() {
            (*block).recorder = ASIDE.replace(std::ptr::null_mut());
        }
    }
}

/// Tells the rank something of this thread's strand, if it has one.
pub fn tell(what: impl FnOnce(&mut Rank, &mut Recorder)) {
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
        what(&mut session.rank(), &mut *recorder);
        crate::sampled::notice(block);
        (*block).depth = 0;
    }
}

fn token(recorder: &Recorder, (address, round): Mark) -> Token {
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
            crate::rank::THREADED.store(true, Ordering::Release);
            let mut unborn = lock(&UNBORN);
            while unborn.len() < missing {
                unborn.push(rank.fork(recorder));
            }
        });
    }
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
