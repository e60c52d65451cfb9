//! Fence, lock and flush: what they complete, order and protect.
//!
//! | call | completes | orders or protects |
//! |---|---|---|
//! | fence | all of this window | all to all of its group |
//! | fence with `NOPRECEDE` | nothing | only: operations on a target's part begin after that target came to its fence |
//! | lock, `lock_all` | | protects what all threads of the process do, until unlock; with `NOCHECK` it takes no lock and protects nothing |
//! | unlock, `unlock_all` | the target, or all | |
//! | flush, `flush_all` | the target, or all | |
//! | `flush_local`, `flush_local_all` | near ends only | |
//! | sync | | nothing: the unified model is assumed; it is a fence for relaxed atomics |
//!
//! A shared lock of all is taken target by target, as targets are used: cost goes with partners, not with ranks.

use crate::confirm::CONFIRMING;
use crate::mpi::again;
use crate::mpi::call::{Call, SUCCESS, call, calls, flush};
use crate::mpi::rma::opening;
use crate::mpi::windows::{All, Taken, Window, window};
use crate::mpi::words;
use crate::rank::{Observed, THREADED};
use crate::tsan::atomics;
use mpi_sys::MPI_Win;
use std::ffi::c_int;
use std::sync::atomic::Ordering;
use thrille_model::{Ctx, Lock, Mode, Rank, Segment, Word};

/// How far operations are completed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// At both ends.
    Both,
    /// Here.
    Near,
}

/// The scopes that a completion of one target is about. With threads, each of them completes what it knows of: nothing is taken off the
/// list for the others.
fn scopes(w: &mut Window, target: c_int, extent: Extent, out: &mut Vec<Ctx>) {
    let threaded = THREADED.load(Ordering::Acquire);
    let Some(partner) = w.partners.get_mut(&target).filter(|p| p.pending) else { return };
    out.push(partner.near);
    out.extend(if threaded { partner.requests.clone() } else { std::mem::take(&mut partner.requests) });
    if extent == Extent::Both {
        out.push(partner.far);
        partner.pending = threaded;
    }
}

fn complete(call: &mut Call, win: MPI_Win, target: Option<c_int>, extent: Extent) {
    let scopes = window(win, |w| {
        let mut found = Vec::new();
        match target {
            Some(target) => scopes(w, target, extent, &mut found),
            None => {
                for target in w.pending.clone() {
                    scopes(w, target, extent, &mut found);
                }
            }
        }
        let partners = &w.partners;
        w.pending.retain(|t| partners.get(t).is_some_and(|p| p.pending));
        found
    });
    for ctx in scopes.unwrap_or_default() {
        call.quiet(ctx);
    }
}

/// Completes all that this process has under way on a window.
pub fn complete_all(call: &mut Call, win: MPI_Win) {
    complete(call, win, None, Extent::Both);
}

/// Runs a call that completes something.
fn completing(win: MPI_Win, target: Option<c_int>, extent: Extent, real: impl FnOnce() -> c_int) -> c_int {
    let mut call = call();
    let early = call.as_ref().is_some_and(|call| call.confirms());
    if let (Some(call), true) = (&mut call, early) {
        complete(call, win, target, extent);
    }
    let result = real();
    if let (Some(mut call), SUCCESS) = (call, result) {
        if !early {
            complete(&mut call, win, target, extent);
        }
        if let Some(target) = target {
            words::progress_at(target, win);
        }
    }
    result
}

/// A fence of all with all.
fn fence(call: &mut Call, win: MPI_Win, real: impl FnOnce() -> c_int) -> c_int {
    complete_all(call, win);
    let token = window(win, |w| {
        w.opening = None;
        if w.global { None } else { Some(w.next_collective()) }
    });
    match token {
        Some(None) => call.enter_barrier(),
        Some(Some(token)) => call.release(token),
        None => {}
    }
    let result = real();
    match token {
        Some(None) => call.leave_barrier(),
        Some(Some(token)) => call.hear(token),
        None => {}
    }
    result
}

/// A fence before which nobody did anything: it only begins. It counts like any other: if not all say so, which is an error of the program,
/// they go on counting alike.
fn open(call: &mut Call, win: MPI_Win, real: impl FnOnce() -> c_int) -> c_int {
    let me = call.me();
    let begun = window(win, |w| {
        w.openings += 1;
        w.opening = Some(w.openings);
        w.met.clear();
        if !w.global {
            w.next_collective();
        }
        (opening(w.group(), me, w.openings), w.global)
    });
    if let Some((token, _)) = begun {
        call.release(token);
    }
    let result = real();
    if let Some((_, true)) = begun {
        call.count_barrier();
    }
    result
}

/// A lock is taken. What flows from and to who has it alone is followed: those are counted. That holds for libraries that have the lock
/// when the call returns, as both that we know do.
pub fn take(o: &mut Observed, (window, rank): (u32, Rank), mode: Mode) {
    let lock = Lock::Window(window, rank);
    let counter = Word { owner: rank, segment: Segment::Window(window), offset: u64::MAX };
    match (words::lock(counter), mode) {
        (Some(mut counted), Mode::Exclusive) => {
            let taken = counted.make();
            drop(counted);
            o.session.rank().lock_section(o.recorder, lock, taken);
        }
        (Some(mut counted), Mode::Shared) => {
            let number = counted.version();
            drop(counted);
            o.session.rank().lock_shared(o.recorder, lock, number);
        }
        (None, _) => o.session.rank().lock(o.recorder, lock, mode),
    }
}

fn leave(call: &mut Call, lock: (u32, Rank)) {
    call.o.session.rank().unlock(call.o.recorder, Lock::Window(lock.0, lock.1));
}

fn taken(assert: c_int) -> Taken {
    if assert & mpi_sys::MPI_MODE_NOCHECK as c_int == 0 { Taken::Yes } else { Taken::OnTrust }
}

/// The library's flush.
pub fn real_flush() -> usize {
    PMPI_WIN_FLUSH.get()
}

// SAFETY (all rows): each body forwards the program's own arguments.
calls! {
    fn Win_fence(assert: c_int, win: MPI_Win), real => {
        let Some(mut call) = call() else { return real() };
        if assert & mpi_sys::MPI_MODE_NOPRECEDE as c_int != 0 {
            return open(&mut call, win, real);
        }
        fence(&mut call, win, real)
    }
    fn Win_lock(kind: c_int, rank: c_int, assert: c_int, win: MPI_Win), real => {
        let call = call();
        let result = real();
        if let (Some(mut call), SUCCESS) = (call, result) {
            let mode = if kind == mpi_sys::MPI_LOCK_EXCLUSIVE as c_int { Mode::Exclusive } else { Mode::Shared };
            let lock = window(win, |w| {
                let target = w.world_rank(rank)?;
                w.locks.insert(rank, taken(assert));
                Some((w.number, target))
            });
            if let (Some(Some(lock)), Taken::Yes) = (lock, taken(assert)) {
                take(&mut call.o, lock, mode);
            }
        }
        result
    }
    fn Win_unlock(rank: c_int, win: MPI_Win), real => {
        let Some(mut call) = call() else { return real() };
        complete(&mut call, win, Some(rank), Extent::Both);
        let lock = window(win, |w| {
            w.locks.remove(&rank).filter(|taken| *taken == Taken::Yes)?;
            Some((w.number, w.world_rank(rank)?))
        });
        if let Some(Some(lock)) = lock {
            leave(&mut call, lock);
        }
        let result = real();
        words::progress_at(rank, win);
        result
    }
    fn Win_lock_all(assert: c_int, win: MPI_Win), real => {
        let call = call();
        let result = real();
        if let (Some(mut call), SUCCESS) = (call, result) {
            let taken = taken(assert);
            let (by, since) = (call.o.recorder.strand(), call.o.recorder.pos());
            // Loads and stores come without a call: for what they reach, the locks are taken now.
            let reached = window(win, |w| {
                w.lock_all = Some(All { taken, by, since });
                let reached: Vec<c_int> = match taken {
                    Taken::Yes if w.shared => (0..w.size).collect(),
                    Taken::Yes => vec![w.rank],
                    Taken::ForAnother | Taken::OnTrust => Vec::new(),
                };
                let mut locks = Vec::new();
                for rank in reached {
                    if let Some(process) = w.world_rank(rank) {
                        w.locks.insert(rank, taken);
                        locks.push((w.number, process));
                    }
                }
                locks
            });
            for lock in reached.unwrap_or_default() {
                take(&mut call.o, lock, Mode::Shared);
            }
        }
        result
    }
    fn Win_unlock_all(win: MPI_Win), real => {
        let Some(mut call) = call() else { return real() };
        complete_all(&mut call, win);
        let locks = window(win, |w| {
            w.lock_all = None;
            let ranks: Vec<c_int> = w.locks.drain().filter(|&(_, taken)| taken != Taken::OnTrust).map(|(rank, _)| rank).collect();
            ranks.into_iter().filter_map(|rank| Some((w.number, w.world_rank(rank)?))).collect::<Vec<_>>()
        });
        for lock in locks.unwrap_or_default() {
            leave(&mut call, lock);
        }
        real()
    }
    fn Win_flush(rank: c_int, win: MPI_Win), real by flush () => {
        if CONFIRMING.load(Ordering::Relaxed) {
            return completing(win, Some(rank), Extent::Both, real);
        }
        let Some(mut call) = flush() else { return real() };
        let result = real();
        if result != SUCCESS {
            call.settle();
        } else if !again::nothing_new(&mut call.o, rank, win) {
            call.settle();
            complete(&mut call, win, Some(rank), Extent::Both);
            again::flushed(&mut call.o, rank, win);
            words::progress_at(rank, win);
        }
        result
    }
    fn Win_flush_all(win: MPI_Win), real => { completing(win, None, Extent::Both, real) }
    fn Win_flush_local(rank: c_int, win: MPI_Win), real => { completing(win, Some(rank), Extent::Near, real) }
    fn Win_flush_local_all(win: MPI_Win), real => { completing(win, None, Extent::Near, real) }
    fn Win_sync(win: MPI_Win), real => {
        // It orders nothing but what relaxed atomics do before and after, as a fence would; and who calls it over and over waits for somebody.
        if call().is_some() {
            words::progress();
        }
        let result = real();
        atomics::thread_fence(true, true);
        result
    }
}
