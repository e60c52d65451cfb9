//! Interval access history: which stored byte ranges overlap this one?
//!
//! Containers that know nothing of races: a value of any type is kept under the byte range it belongs to, and found
//! again by overlap. The detector above decides what a value means and which ones to keep.
//!
//! | file | what |
//! |---|---|
//! | `skiplist.rs` | [`IntervalSkiplist`], the fast one |
//! | `naive.rs` | [`Naive`], a linear scan: the oracle every other structure is tested against |
//!
//! A structure is one file (or folder) and one implementation of [`History`]; `tests.rs` takes any of them.

mod bounded;
mod btree;
mod coalesce;
mod disjoint;
mod fragments;
mod naive;
mod skiplist;
mod store;
#[cfg(test)]
mod tests;

pub use bounded::{Bounded, HistoryFull};
pub use btree::IntervalBTree;
pub use coalesce::{Class, Coalescer, NoLeaf, PAGE};
pub use disjoint::{Avl, Disjoint, Treap};
pub use fragments::{FragmentTreap, FragmentTree, Fragments};
pub use naive::Naive;
pub use skiplist::IntervalSkiplist;
pub use store::{AnyHistory, Store, UnknownStore};
pub use thrille_model::{Interval, IntervalError};

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
