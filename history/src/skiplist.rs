//! The interval skiplist.
//!
//! E. N. Hanson, T. Johnson: *The interval skip list: a data structure for finding all intervals that overlap a
//! point*, WADS 1992 (the history of UPC-Thrille, ICS 2013, section 3.3).
//!
//! # Algorithm
//!
//! A skiplist holds one node for each distinct endpoint of the stored ranges. The edge from node `x` to its successor
//! `y` on some level stands for the bytes `[x, y)`. The edges of one level tile the line, and each lies within one edge
//! of the level above, its parent. A range is *marked* on exactly those edges that it covers and whose parent it does
//! not cover; these edges tile the range, about two a level as in a segment tree.
//!
//! - **Stab** `q`: the edge over `q` on each level is where the search path turns down. Every mark met there is a range
//!   that contains `q`, and since a range's marked edges tile it, each such range is met exactly once.
//! - **Overlap** `[lo, hi)`: what contains `lo`, by a stab, and what begins within `(lo, hi)`, by a walk on the lowest
//!   level. The two sets are disjoint, and together they are what overlaps.
//! - **New node** `x`: on each level below its height an edge `(p, n)` becomes `(p, x)` and `(x, n)`. A range whose
//!   marks change has `x` inside (`x` is no endpoint yet), so it is marked on one of the split edges: no other need be
//!   looked at. It marks both halves, then each half moves up while the range covers the parent half as well.
//! - **Node removed** once no range begins or ends there: the same backwards, marks move down.
//!
//! # Deviations from the paper
//!
//! - Half-open ranges only: an edge owns its left end, so marks on nodes (the paper's `eqMarkers`) are not needed.
//!   Edges out of the head or to the end are covered by nothing and carry no mark.
//! - Overlap with a range instead of a point: nodes list the ranges that begin there.
//! - Equal ranges share one set of marks: the values are in a group, the index knows only the group's number. A second
//!   value for a known range costs a search and a push.
//! - A finger: the search path of the last change is kept and the next search climbs from there only as far as it must.
//!   UPC-Thrille measured sequential ranges as ten times slower to insert than random ones (114 against 12 µs);
//!   with the finger they are the fastest, in either direction. Reading searches skip ahead along it.
//! - A tower grows by one more level with probability 1/4, not 1/2: fewer links, and measured no slower. Heights come
//!   from a seeded generator and are independent of the keys, so no order of insertion unbalances the list, and a run
//!   can be repeated exactly.
//!
//! # Cost
//!
//! With n distinct ranges, expected: search O(log n + hits + nodes within the range); insertion and removal O(log n) for
//! ranges that overlap few others, O(log² n) by the paper's analysis for random ones; a mark is removed from its edge by
//! a scan of that edge's marks, so deep nesting (n ranges around one byte) costs up to O(n) a removal, of 4-byte numbers.
//! Memory: 40 bytes a link, 1.33 links and 48 bytes a node, at most two nodes a range, 4 bytes a mark.
//! Numbers are 32 bits wide: 2³² links, some 200 GB, are the limit.
//!
//! `index.rs` is the skiplist of group numbers, `marks.rs` how marks follow a change, `check.rs` (tests only) the
//! invariants above, verified from their definitions.

#[cfg(test)]
mod check;
mod index;
mod marks;

use crate::{History, Interval, Keep};
use index::{GroupId, Index};
use smallvec::SmallVec;

/// Seed of [`IntervalSkiplist::new`]; any number would do.
const SEED: u64 = 0x7468_7269_6c6c_6500;

/// A [`History`] with logarithmic search: see the top of `skiplist.rs`.
#[derive(Clone, Debug)]
pub struct IntervalSkiplist<T> {
    index: Index,
    /// By [`GroupId`]. A group has a value iff the index knows it.
    groups: Vec<Group<T>>,
    len: usize,
    /// Groups found by the current call; empty between calls.
    found: Vec<GroupId>,
}

/// The values stored under one and the same range.
#[derive(Clone, Debug)]
struct Group<T> {
    at: Interval,
    values: SmallVec<[T; 1]>,
}

impl<T> IntervalSkiplist<T> {
    /// An empty history, the same in every run.
    pub fn new() -> Self {
        Self::with_seed(SEED)
    }

    /// An empty history whose node heights are drawn from `seed`. What is found does not depend on it.
    pub fn with_seed(seed: u64) -> Self {
        Self { index: Index::with_seed(seed), groups: Vec::new(), len: 0, found: Vec::new() }
    }

    /// Number of distinct ranges stored.
    pub fn ranges(&self) -> usize {
        self.index.len()
    }

    /// Shows the values of `ids` to `visit`, and forgets those it does not keep.
    fn retain_in(&mut self, ids: &[GroupId], mut visit: impl FnMut(Interval, &mut T) -> Keep) {
        for &id in ids {
            let group = &mut self.groups[id.slot()];
            let before = group.values.len();
            group.values.retain(|value| visit(group.at, value) == Keep::Yes);
            self.len -= before - group.values.len();
            if group.values.is_empty() && self.len > 0 {
                self.index.remove(id);
            }
        }
        if self.len == 0 {
            self.clear();
        }
    }
}

impl<T> Default for IntervalSkiplist<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> History<T> for IntervalSkiplist<T> {
    fn insert(&mut self, at: Interval, value: T) {
        let slot = self.index.insert(at).slot();
        self.len += 1;
        match self.groups.get_mut(slot) {
            Some(group) => {
                group.at = at;
                group.values.push(value);
            }
            None => self.groups.push(Group { at, values: SmallVec::from_buf([value]) }),
        }
    }

    fn overlapping(&self, at: Interval, mut visit: impl FnMut(Interval, &T)) {
        self.index.overlapping(at, |id| {
            let group = &self.groups[id.slot()];
            for value in &group.values {
                visit(group.at, value);
            }
        });
    }

    fn retain_overlapping(&mut self, at: Interval, visit: impl FnMut(Interval, &mut T) -> Keep) {
        let mut found = std::mem::take(&mut self.found);
        self.index.overlapping(at, |id| found.push(id));
        self.retain_in(&found, visit);
        found.clear();
        self.found = found;
    }

    fn retain(&mut self, visit: impl FnMut(Interval, &mut T) -> Keep) {
        let mut found = std::mem::take(&mut self.found);
        self.index.all(|id| found.push(id));
        self.retain_in(&found, visit);
        found.clear();
        self.found = found;
    }

    fn len(&self) -> usize {
        self.len
    }

    fn clear(&mut self) {
        self.index.clear();
        self.groups.clear();
        self.len = 0;
    }
}
