//! What calls of every communication library tell of themselves. The tables of each add what is theirs.

use crate::confirm::{self, CONFIRMING};
use crate::rank::Observed;
use crate::sampled;
use std::sync::atomic::Ordering;
use thrille_model::comb::{self, Teeth};
use thrille_model::{Act, Comb, Ctx, Interval, Kind, Order, Rank, Token};
use thrille_runtime::{End, Operands, UNRESOLVED};

impl Observed {
    /// This process.
    pub fn me(&self) -> Rank {
        self.recorder.strand().rank
    }

    /// An operation begins: its ends share a position.
    pub fn issue(&mut self) {
        self.session.rank().issue(self.recorder);
    }

    /// Whether this run confirms races: then strands are stopped before they act, and nothing is recorded.
    #[allow(clippy::unused_self, reason = "asked of a call, answered by the process")]
    pub fn confirms(&self) -> bool {
        CONFIRMING.load(Ordering::Relaxed)
    }

    /// Whether what the call touches is recorded: all of it, or nothing.
    #[inline]
    pub fn is_recorded(&mut self) -> bool {
        let (block, pc) = (self.block, self.pc);
        *self.records.get_or_insert_with(|| sampled::records(block, pc))
    }

    /// Records something, if it is to be.
    #[inline]
    fn record(&mut self, record: impl FnOnce(&mut Self)) {
        if !self.is_recorded() {
            return;
        }
        let (from, before) = (sampled::clock(), self.recorder.observed);
        record(self);
        if let Some(from) = from {
            self.recorded.0 += sampled::ticks().wrapping_sub(from);
            self.recorded.1 += u64::from(self.recorder.observed != before);
        }
    }

    /// An access that is over when the call is.
    pub fn touch(&mut self, address: u64, len: u64, kind: Kind, act: Act) {
        if self.confirms() {
            return confirm::point(self, address, len, kind, act);
        }
        self.record(|o| o.session.touch_range(o.recorder, address, len, kind, act, o.pc));
    }

    /// One end of an operation.
    pub fn end(&mut self, end: End, lasts: Operands) {
        if self.confirms() {
            let range = Interval::from_len(end.lo, end.len).ok();
            for tooth in range.into_iter().flat_map(|range| comb::teeth((range, end.comb))) {
                confirm::end(self, End { lo: tooth.lo(), len: tooth.len(), comb: Comb::SOLID, ..end }, lasts);
            }
            return;
        }
        self.record(|o| o.session.rank().end(o.recorder, end, o.pc, lasts));
    }

    /// Bytes of this process, or reached through its address space, that an operation uses until its context is completed.
    pub fn until(&mut self, (range, comb): Teeth, kind: Kind, act: Act, ctx: Ctx) {
        let (owner, segment, lo) = match self.recorder.locate(range.lo()) {
            Some((owner, segment, offset, _)) => (owner, segment, offset),
            None => (self.me(), UNRESOLVED, range.lo()),
        };
        self.end(End { owner, segment, lo, len: range.len(), comb, kind, act }, Operands::Until(ctx, Order::None));
    }

    /// A call that completes a context is about to begin; for calls that [`Observed::quiet`] follows.
    pub fn completing(&mut self, ctx: Ctx) {
        if self.confirms() {
            confirm::completing(self, |span| span.is_on(ctx));
        }
    }

    /// Completes a context. In a run that confirms races the call that does so must not have been made yet.
    pub fn quiet(&mut self, ctx: Ctx) {
        self.completing(ctx);
        self.session.rank().quiet(self.recorder, ctx);
    }

    /// What comes on a context later arrives later.
    pub fn fence(&mut self, ctx: Ctx) {
        if self.confirms() {
            return confirm::fenced(self, ctx);
        }
        self.session.rank().fence(self.recorder, ctx);
    }

    /// Comes to a global barrier.
    pub fn enter_barrier(&mut self) {
        self.session.enter_barrier(self.recorder);
        sampled::come();
    }

    /// Goes on after it.
    pub fn leave_barrier(&mut self) {
        sampled::go();
        sampled::count_executed(self.recorder);
        if self.session.cuts_next() {
            sampled::charge_exchange(|| self.session.leave_barrier(self.recorder));
        } else {
            self.session.leave_barrier(self.recorder);
        }
        // Which barrier it is: where it is called, and from where.
        let from = u64::from(self.recorder.stack.at(self.pc).0);
        sampled::phase((self.pc ^ from << 48).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    }

    /// Releases a token.
    pub fn release(&mut self, token: Token) {
        self.session.rank().release(self.recorder, token);
    }

    /// Acquires a token.
    pub fn acquire(&mut self, token: Token) {
        self.session.rank().acquire(self.recorder, token);
    }
}

/// Makes a library's call do what every call does.
macro_rules! like_every_call {
    ($call:ty) => {
        impl std::ops::Deref for $call {
            type Target = crate::rank::Observed;

            fn deref(&self) -> &Self::Target {
                &self.o
            }
        }

        impl std::ops::DerefMut for $call {
            fn deref_mut(&mut self) -> &mut Self::Target {
                &mut self.o
            }
        }
    };
}
pub(crate) use like_every_call;
