//! What a strand's operations use, from their issue to their completion; those that repeat and are not recorded among them.

use super::{ERA, Recorder, UNRESOLVED};
use crate::underway::Use;
use thrille_model::{Comb, Pos, Rank, Segment, comb};

/// Where a strand came across its own operations.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Crossed {
    /// Somewhere.
    pub any: bool,
    /// In private memory.
    pub private: bool,
}

impl Recorder {
    /// An operation uses this memory until it is complete.
    #[inline]
    pub(crate) fn use_until_done(&mut self, used: Use) {
        self.era += ERA;
        match used {
            Use::Private(bytes) => {
                comb::teeth(bytes).for_each(|tooth| self.watched.add(tooth.lo(), tooth.hi()));
                self.settle_owners();
                self.quick.renew(false);
            }
            Use::Shared(owner, segment, bytes) => {
                self.under_way.add(owner, segment, bytes);
                self.quick.wake();
                if self.alone {
                    self.settle_owners();
                    self.quick.renew(false);
                }
            }
        }
    }

    /// Whether an operation on these bytes meets another one of the strand's that is under way.
    pub(crate) fn crosses(&mut self, owner: Rank, segment: Segment, lo: u64, hi: u64) -> bool {
        let private = segment == UNRESOLVED && self.watched.touches(lo, hi);
        let crosses = private || (!self.under_way.is_empty() && self.under_way.touches(owner, segment, lo, hi));
        self.crossed.private |= private;
        self.crossed.any |= crosses;
        crosses
    }

    /// What its operations use now, if it is little.
    pub fn uses(&self) -> Option<Vec<Use>> {
        let shared = self.under_way.all()?.iter().map(|&(owner, segment, bytes)| Use::Shared(owner, segment, bytes));
        Some(self.watched.now().map(|bytes| Use::Private((bytes, Comb::SOLID))).chain(shared).collect())
    }

    /// Whether none of its operations is under way and there is no other strand to complete one.
    #[inline]
    pub fn is_idle(&self) -> bool {
        !self.threaded && !self.footprint.is_on() && self.under_way.is_empty() && self.watched.is_empty()
    }

    /// The position of its last event. While it stays the same, others cannot tell one moment of the strand from another.
    #[inline]
    pub fn epoch(&self) -> Pos {
        self.epoch
    }

    /// An operation is issued that may never be recorded, since an equal one of this epoch is: it uses what that one used.
    #[inline]
    pub fn issue_again(&mut self, uses: &[Use]) {
        self.step();
        for &used in uses {
            self.use_until_done(used);
        }
    }

    /// It is complete, and nothing has come of it.
    #[inline]
    pub fn complete_again(&mut self) {
        self.step();
        self.nothing_under_way();
        self.crossed = Crossed::default();
    }

    /// Operations that use this were carried out so many times without being recorded.
    pub fn count_again(&mut self, uses: &[Use], times: u64) {
        for &used in uses {
            if let Use::Shared(to, _, (range, comb)) = used
                && to != self.strand.rank
            {
                let sum = times * comb.bytes(range);
                match self.repeated.iter_mut().find(|(rank, ..)| *rank == to) {
                    Some((_, operations, bytes)) => (*operations, *bytes) = (*operations + times, *bytes + sum),
                    None => self.repeated.push((to, times, sum)),
                }
            }
        }
    }

    /// No operation is under way.
    pub fn nothing_under_way(&mut self) {
        self.era += ERA;
        self.outdated = 0;
        self.watched.clear();
        self.under_way.clear();
    }
}
