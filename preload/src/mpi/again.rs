//! The same put or get and its flush, once more.
//!
//! Others come before or after a strand at its events only. So an operation that is completed at once, and that the strand has carried out
//! before in just this way since its last event, races with what the first one races with: nothing of it needs to be recorded. That is
//! decided at the flush. Until then the operation is *deferred*: it has a position, and the strand's loads and stores of its bytes are
//! recorded as what they are. If there was one, or if the strand calls anything but that flush, the operation is recorded after all, at the
//! position it was issued at.

use crate::entry::Block;
use crate::mpi::echo::{self, Echo};
use crate::mpi::rma::{self, Transfer};
use crate::mpi::windows::window;
use crate::rank::Observed;
use mpi_sys::MPI_Win;
use std::ffi::c_int;
use thrille_model::{Pos, StackId};
use thrille_runtime::Use;

/// Operations that are remembered.
const REMEMBERED: usize = 32;

/// One operation and where it was called.
#[derive(Clone, Copy, PartialEq)]
pub struct Issued {
    pub transfer: Transfer,
    pub pc: u64,
    stack: StackId,
}

/// An operation that was recorded, and its flush with it.
struct Pair {
    issued: Issued,
    flushed_at: u64,
    uses: Vec<Use>,
    /// The strand's last event.
    epoch: Pos,
    /// How many calls it had made that may change how an operation is understood.
    others: u64,
}

/// One that waits for its flush, and how many accesses the strand had made when it was issued.
struct Waiting {
    issued: Issued,
    observed: u64,
    how: How,
}

enum How {
    /// Recorded.
    Recorded { pos: Pos, uses: Vec<Use> },
    /// Not recorded; the flush that would make that right.
    Deferred { flushed_at: u64 },
}

/// What is kept for a thread.
#[derive(Default)]
pub struct Again {
    pairs: [Option<Pair>; REMEMBERED],
    waiting: Option<Waiting>,
    others: u64,
    echo: Echo,
}

/// The echo in what was kept for a thread.
///
/// # Safety
/// `kept` is null or was made here for this thread, and nobody else has a reference to it.
#[inline(always)]
pub unsafe fn echo(kept: *mut std::ffi::c_void) -> Option<&'static mut Echo> {
    // SAFETY: the caller's.
    unsafe { kept.cast::<Again>().as_mut().map(|again| &mut again.echo) }
}

/// The same, of a thread that is being observed.
pub fn kept_echo(block: *mut Block) -> &'static mut Echo {
    &mut kept(block).echo
}

/// This thread's.
fn kept(block: *mut Block) -> &'static mut Again {
    // SAFETY: the block is this thread's own; what is kept there was made here, is given back when the thread is detached, and depth keeps a
    // second reference from being made.
    unsafe {
        if (*block).kept.is_null() {
            (*block).kept = Box::into_raw(Box::<Again>::default()).cast();
        }
        &mut *(*block).kept.cast()
    }
}

/// Gives back what was kept for a thread.
pub fn forget(kept: *mut std::ffi::c_void) {
    if !kept.is_null() {
        // SAFETY: made from a box in `kept`, and its thread uses it no more.
        drop(unsafe { Box::from_raw(kept.cast::<Again>()) });
    }
}

fn slot(issued: &Issued) -> usize {
    let mixed = (issued.pc ^ issued.transfer.at() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 32) as usize % REMEMBERED
}

/// A call that is neither of the two.
pub fn other_call(o: &mut Observed) {
    kept(o.block).others += 1;
}

/// A put or a get that the library has carried out.
pub fn transferred(o: &mut Observed, transfer: Transfer) {
    let issued = Issued { transfer, pc: o.pc, stack: o.recorder.stack.at(o.pc) };
    let (epoch, observed, idle) = (o.recorder.epoch(), o.recorder.observed, o.recorder.is_idle());
    let again = kept(o.block);
    let others = again.others;
    let known = again.pairs[slot(&issued)]
        .as_ref()
        .filter(|pair| idle && pair.issued == issued && pair.epoch == epoch && pair.others == others);
    if let Some(pair) = known {
        again.waiting = Some(Waiting { issued, observed, how: How::Deferred { flushed_at: pair.flushed_at } });
        o.recorder.issue_again(&pair.uses);
        // SAFETY: the block is this thread's own.
        unsafe { (*o.block).settle = Some(settle) };
        return;
    }
    rma::record(o, transfer);
    let (pos, observed, uses) = (o.recorder.pos(), o.recorder.observed, o.recorder.uses());
    let recorded = o.is_recorded();
    kept(o.block).waiting =
        uses.filter(|_| idle && recorded).map(|uses| Waiting { issued, observed, how: How::Recorded { pos, uses } });
}

/// Something else comes: what was deferred is recorded after all.
fn settle(o: &mut Observed) {
    let Some(Waiting { issued, how: How::Deferred { .. }, .. }) = kept(o.block).waiting.take() else { return };
    // What it uses will be told once more.
    o.recorder.nothing_under_way();
    record_late(o, &issued);
}

/// Records an operation that was issued at the strand's present position.
pub fn record_late(o: &mut Observed, issued: &Issued) {
    let (pc, left) = (o.pc, o.recorder.stack.stay_at(issued.stack));
    o.pc = issued.pc;
    rma::record_late(o, issued.transfer);
    o.pc = pc;
    o.recorder.stack.go_back(left);
}

/// An operation has repeated so many times, of which nothing but this is told.
pub fn count(o: &mut Observed, issued: &Issued, times: u64) {
    let pair = kept(o.block).pairs[slot(issued)].as_ref();
    if let Some(pair) = pair.filter(|pair| pair.issued == *issued) {
        o.recorder.count_again(&pair.uses, times);
    }
}

/// Whether the flush that was just carried out completes a deferred operation, of which nothing has come then.
pub fn nothing_new(o: &mut Observed, rank: c_int, win: MPI_Win) -> bool {
    let (pc, observed) = (o.pc, o.recorder.observed);
    let again = kept(o.block);
    let completes = |waiting: &mut Waiting| {
        matches!(waiting.how, How::Deferred { flushed_at } if flushed_at == pc)
            && waiting.observed == observed
            && waiting.issued.transfer.goes_to(rank, win)
    };
    let Some(Waiting { issued, .. }) = again.waiting.take_if(completes) else { return false };
    count(o, &issued, 1);
    o.recorder.complete_again();
    // SAFETY: the block is this thread's own.
    unsafe { (*o.block).settle = None };
    echo::begin_pair(o, issued, pc);
    true
}

/// A flush has completed what there was at a target: if that was one operation, it need not be recorded again.
pub fn flushed(o: &mut Observed, rank: c_int, win: MPI_Win) {
    let (flushed_at, observed) = (o.pc, o.recorder.observed);
    let (epoch, now, idle) = (o.recorder.epoch(), o.recorder.pos(), o.recorder.is_idle());
    let again = kept(o.block);
    let Some(Waiting { issued, observed: before, how: How::Recorded { pos, uses } }) = again.waiting.take() else {
        return;
    };
    // Two scopes are completed by a flush: nothing else moved the strand on. One that goes to the own rank lets others get on, every so many times: each is counted.
    let own = window(win, |w| w.rank) == Some(rank);
    if idle && !own && before == observed && issued.transfer.goes_to(rank, win) && now.0 <= pos.0 + 2 {
        again.pairs[slot(&issued)] = Some(Pair { issued, flushed_at, uses, epoch, others: again.others });
    }
}
