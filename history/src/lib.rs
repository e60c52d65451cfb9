//! Interval access history: which stored byte ranges overlap this one?
//!
//! Containers that know nothing of races: a value of any type is kept under the byte range it belongs to, and found
//! again by overlap. The detector above decides what a value means and which ones to keep.
//!
//! | file | what |
//! |---|---|
//! | `btree.rs` | [`IntervalBTree`], our own and the fastest |
//! | `skiplist.rs` | [`IntervalSkiplist`], of UPC-Thrille |
//! | `fragments.rs` | [`FragmentTree`] and [`FragmentTreap`], after RMA-Analyzer and STINT: no two stored pieces overlap |
//! | `disjoint.rs` | [`Disjoint`], the balanced tree of disjoint ranges under both |
//! | `naive.rs` | [`Naive`], a linear scan: the oracle every other structure is tested against |
//! | `store.rs` | [`Store`], which of them, by name; [`AnyHistory`] |
//! | `bounded.rs` | [`Bounded`], any of them with a limit |
//!
//! The detectors of the papers on top of them, which know what an access is and forget what can be told from no other:
//!
//! | file | what |
//! |---|---|
//! | `access.rs` | [`AccessHistory`], and its oracle |
//! | `tries.rs` | [`TrieSkiplist`]: lockset tries and weaker-than, of UPC-Thrille |
//! | `rma.rs` | [`RmaTree`]: access types that are fragmented and merged, of RMA-Analyzer |
//! | `stint.rs` | [`StintTreaps`]: last writer, left-most and right-most reader, of STINT and PINT |
//!
//! And before anything gets here, `coalesce.rs`: [`Coalescer`], bits for bytes, intervals at the end.
//!
//! A structure is one file (or folder) and one implementation of [`History`]; `tests.rs` takes any of them.

mod access;
mod bounded;
mod btree;
mod coalesce;
mod disjoint;
mod fragments;
mod naive;
mod rma;
mod skiplist;
mod stint;
mod store;
#[cfg(test)]
mod tests;
mod tries;

pub use access::{AccessHistory, AllAccesses};
pub use bounded::{Bounded, HistoryFull};
pub use btree::IntervalBTree;
pub use coalesce::{Class, Coalescer, NoLeaf, PAGE};
pub use disjoint::{Avl, Disjoint, Treap};
pub use fragments::{FragmentTreap, FragmentTree, Fragments};
pub use naive::Naive;
pub use rma::{AccessType, RmaTree, Seen, Typed};
pub use skiplist::IntervalSkiplist;
pub use stint::{Order, StintTreaps};
pub use store::{AnyHistory, Store, UnknownStore};
pub use thrille_model::{Interval, IntervalError};
pub use tries::{Locked, Lockset, Touch, TrieSkiplist};

/// What a visitor wants done with the value it was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// It stays.
    Yes,
    /// It is removed, and dropped.
    No,
}

/// A multiset of values, each stored under a byte range.
///
/// Visiting order is unspecified, but a function of the calls made so far: equal runs visit in equal order.
/// Visitors are statically dispatched, since a search of a few nanoseconds is worth inlining; code that must choose
/// the structure at run time is generic over `History`, or matches on an enum of its own.
pub trait History<T> {
    /// Stores `value` under `at`. Equal ranges, even with equal values, are all kept.
    fn insert(&mut self, at: Interval, value: T);

    /// Calls `visit` with every stored value whose range overlaps `at`, each exactly once.
    fn overlapping(&self, at: Interval, visit: impl FnMut(Interval, &T));

    /// The same with mutable access, and with removal of the values that `visit` does not keep.
    fn retain_overlapping(&mut self, at: Interval, visit: impl FnMut(Interval, &mut T) -> Keep);

    /// Calls `visit` with every stored value, each exactly once, and removes those that it does not keep.
    fn retain(&mut self, visit: impl FnMut(Interval, &mut T) -> Keep);

    /// Number of stored values.
    fn len(&self) -> usize;

    /// Whether nothing is stored.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes everything; memory may be kept for reuse.
    fn clear(&mut self);
}
