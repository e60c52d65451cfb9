//! The access path: one strand's loads and stores, merged into runs of bytes.
//!
//! A small direct-mapped table, one slot per code address, holds the run that each line is at. An access that is inside the run or
//! extends it at either end costs a comparison or two and no memory. Anything else moves the run to the buffer of finished runs and
//! begins a new one. A full buffer is sorted and merged, so that random accesses to the same memory do not pile up.
//!
//! Merged are only accesses that nothing can tell apart: same line, kind, position of the strand (so same phase and locks) and memory.
//! The first one's call stack stands for all. No site is ever merged with another, so no pair of lines is lost.

use thrille_model::{Act, LocksetId, Phase, Pos, StackId};
use thrille_model::{Kind, Rank, Segment};

const SLOTS: usize = 512;

/// Bytes touched by one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Return address of the hook.
    pub pc: u64,
    /// First byte, as an offset in the segment.
    pub lo: u64,
    /// One past the last byte.
    pub hi: u64,
    /// Position of the strand.
    pub pos: Pos,
    /// Its phase there.
    pub phase: Phase,
    /// The last phase it may reach into, if the strand is the only one: within a global barrier that is the next one.
    pub until: Phase,
    /// Whose memory.
    pub owner: Rank,
    /// Which part of it.
    pub segment: Segment,
    /// How it is touched.
    pub kind: Kind,
    /// In the words of the report.
    pub act: Act,
    /// Locks held.
    pub locks: LocksetId,
    /// Called from where.
    pub stack: StackId,
    /// How many accesses.
    pub times: u32,
}

/// What of an access tells which run it belongs to, and where.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Return address of the hook.
    pub pc: u64,
    /// First byte, as an offset in the segment.
    pub lo: u64,
    /// One past the last byte.
    pub hi: u64,
    /// Position of the strand.
    pub pos: Pos,
    /// Whose memory.
    pub owner: Rank,
    /// Which part of it.
    pub segment: Segment,
    /// How it is touched.
    pub kind: Kind,
    /// Locks held.
    pub locks: LocksetId,
}

impl Run {
    fn same_but_for_bytes(&self, other: &Self) -> bool {
        self.pc == other.pc
            && self.pos == other.pos
            && self.kind == other.kind
            && self.owner == other.owner
            && self.segment == other.segment
            && self.locks == other.locks
    }

    /// Takes in a run that touches or overlaps this one.
    fn absorb(&mut self, other: &Self) -> bool {
        if !self.same_but_for_bytes(other) || other.lo > self.hi || self.lo > other.hi {
            return false;
        }
        self.lo = self.lo.min(other.lo);
        self.hi = self.hi.max(other.hi);
        self.times = self.times.saturating_add(other.times);
        true
    }
}

/// One strand's runs.
#[derive(Debug)]
pub struct Runs {
    slots: Box<[Option<Run>]>,
    finished: Vec<Run>,
    limit: usize,
}

/// Whether there is room for more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Room {
    /// There is.
    Enough,
    /// The buffer should be taken away.
    Full,
}

impl Runs {
    /// An empty table with room for `limit` finished runs.
    pub fn new(limit: usize) -> Self {
        Self { slots: vec![None; SLOTS].into(), finished: Vec::with_capacity(limit), limit }
    }

    /// Takes in an access that is inside the run that its line is at, or extends it upwards; false if there is no such run.
    #[inline(always)]
    pub fn extend(&mut self, access: &Touch) -> bool {
        let Some(run) = &mut self.slots[slot(access.pc)] else { return false };
        let same = run.pc == access.pc
            && run.pos == access.pos
            && run.kind == access.kind
            && run.owner == access.owner
            && run.segment == access.segment
            && run.locks == access.locks;
        if !same || access.lo < run.lo || access.lo > run.hi {
            return false;
        }
        run.hi = run.hi.max(access.hi);
        run.times = run.times.saturating_add(1);
        true
    }

    /// Takes in one access.
    pub fn add(&mut self, run: &Run) -> Room {
        let slot = slot(run.pc);
        match &mut self.slots[slot] {
            Some(current) => {
                if current.absorb(run) {
                    return Room::Enough;
                }
                let done = std::mem::replace(current, *run);
                self.finish(done)
            }
            empty => {
                *empty = Some(*run);
                Room::Enough
            }
        }
    }

    fn finish(&mut self, run: Run) -> Room {
        self.finished.push(run);
        if self.finished.len() < self.limit {
            return Room::Enough;
        }
        merge(&mut self.finished);
        if self.finished.len() < self.limit / 2 { Room::Enough } else { Room::Full }
    }

    /// Takes everything out, merged, and leaves the table empty.
    pub fn take(&mut self, out: &mut Vec<Run>) {
        for slot in &mut self.slots {
            self.finished.extend(slot.take());
        }
        merge(&mut self.finished);
        out.append(&mut self.finished);
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.finished.is_empty() && self.slots.iter().all(Option::is_none)
    }
}

#[inline(always)]
fn slot(pc: u64) -> usize {
    (pc ^ (pc >> 9)) as usize % SLOTS
}

/// Sorts runs and joins those that touch. What else they differ in is as a rule the same for one line at one position.
fn merge(runs: &mut Vec<Run>) {
    runs.sort_unstable_by_key(|r| (r.pc, r.pos, r.lo));
    runs.dedup_by(|next, kept| kept.absorb(next));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn run(pc: u64, lo: u64, len: u64, pos: u64, kind: Kind) -> Run {
        Run {
            pc,
            lo,
            hi: lo + len,
            pos: Pos(pos),
            phase: Phase(0),
            until: Phase(0),
            owner: Rank(0),
            segment: Segment::Heap,
            kind,
            act: Act::Load,
            locks: LocksetId::EMPTY,
            stack: StackId(0),
            times: 1,
        }
    }

    #[test]
    fn a_million_contiguous_stores_are_one_run() {
        let mut runs = Runs::new(64);
        for i in 0..1_000_000 {
            assert_eq!(runs.add(&run(7, i * 8, 8, 0, Kind::Write)), Room::Enough);
        }
        let mut out = Vec::new();
        runs.take(&mut out);
        assert_eq!(out, [Run { times: 1_000_000, ..run(7, 0, 8_000_000, 0, Kind::Write) }]);
    }

    proptest! {
        /// Whatever is merged, the bytes of each line, kind and position stay the same, and so does the number of accesses.
        #[test]
        fn nothing_is_lost_or_added(accesses in prop::collection::vec((0u64..4, 0u64..40, 1u64..9, 0u64..3, any::<bool>()), 0..300)) {
            let mut runs = Runs::new(16);
            let mut out = Vec::new();
            let mut expected = BTreeSet::new();
            for &(pc, lo, len, pos, write) in &accesses {
                let kind = if write { Kind::Write } else { Kind::Read };
                // Code addresses that share a slot.
                let pc = pc * 512 * 513;
                expected.extend((lo..lo + len).map(|byte| (pc, pos, kind, byte)));
                if runs.add(&run(pc, lo, len, pos, kind)) == Room::Full {
                    runs.take(&mut out);
                }
            }
            runs.take(&mut out);
            prop_assert!(runs.is_empty());
            let found: BTreeSet<_> = out.iter().flat_map(|r| (r.lo..r.hi).map(|byte| (r.pc, r.pos.0, r.kind, byte))).collect();
            prop_assert_eq!(found, expected);
            prop_assert_eq!(out.iter().map(|r| u64::from(r.times)).sum::<u64>(), accesses.len() as u64);
        }
    }
}
