//! A B-tree of ranges that knows how far each subtree reaches: the fastest history that we measured (`cargo bench -p thrille-history`).
//!
//! # Algorithm
//!
//! Ranges are in leaves, sorted by their begins. An inner node has of each child the begin of its first range, and its *reach*: the
//! greatest end in it; and of the first i children together the greatest reach, the *front*. So far this is the interval tree of the
//! text books (an order by begins, augmented with greatest ends), with 64 children a node instead of two.
//!
//! - **Overlap** `[lo, hi)`: what overlaps begins before `hi` and ends after `lo`. In each node the children that begin before `hi` are
//!   a prefix, found by binary search. From its end backwards, those whose reach is beyond `lo` are descended into, until the front says
//!   that no child before that reaches so far. In a leaf the same, with the length of the longest range in place of the front.
//! - **Insertion**: down to the last child that does not begin after the range; a full node is split on the way back. The last leaf of all, the
//!   *tail*, is kept beside the tree until it is full: what begins after its first range goes there without a descent. At either end of the
//!   leaf the split leaves the full part full: sequential ranges, up or down, fill their leaves.
//! - **Removal** is by search only. Neighbours that have room in half a node become one, empty ones go.
//!
//! # Why it is fast
//!
//! A million ranges are four levels, and the numbers that a search compares stand side by side: three to four cache misses, where a
//! binary tree or a skiplist has twenty. An insertion into a leaf moves half of three small arrays, which costs less than one miss.
//!
//! # Cost
//!
//! With n ranges, k of them overlapping: search O(log n + k · 64) in the worst case, since a child is descended into only if a range in it
//! overlaps: what begins before `hi` and ends after `lo` does. Reaches of the longest range make a leaf's scan longer, never the
//! search. Insertion O(log n). Memory: 16 bytes and the value a range in full leaves, as after sequential insertion; with random insertion
//! leaves are two thirds full. Inner nodes add a sixtieth.

mod node;

use crate::{History, Interval, Keep};
use node::{Leaf, Node, Split};

/// A [`History`] that is a B-tree: see the top of `btree.rs`.
#[derive(Clone, Debug)]
pub struct IntervalBTree<T> {
    root: Node<T>,
    /// Ranges that do not begin before any in the tree: the next leaf, at hand. Sequential ranges need no descent.
    tail: Box<Leaf<T>>,
    len: usize,
}

impl<T> IntervalBTree<T> {
    /// An empty history.
    pub fn new() -> Self {
        Self { root: Node::empty(), tail: Box::new(Leaf::empty()), len: 0 }
    }

    /// Bytes of memory that its nodes take.
    pub fn bytes(&self) -> usize {
        self.root.bytes() + size_of::<Leaf<T>>()
    }
}

impl<T> IntervalBTree<T> {
    /// The root has become two.
    fn grow(&mut self, split: Split<T>) {
        if let Split::Into(right) = split {
            let left = std::mem::replace(&mut self.root, Node::empty());
            self.root = Node::over(left, right);
        }
    }

    /// Not behind all others, or the tail is full.
    fn insert_before(&mut self, at: Interval, value: T) {
        if at.lo() < self.tail.begin() && self.len > 1 {
            let split = self.root.insert(at, value);
            return self.grow(split);
        }
        if let Split::Into(upper) = self.tail.insert(at, value) {
            self.hand_over(upper);
        }
    }

    /// The tail was full: its lower part becomes the tree's last leaf.
    #[cold]
    fn hand_over(&mut self, upper: Node<T>) {
        if let Node::Leaf(upper) = upper {
            let lower = std::mem::replace(&mut self.tail, upper);
            let split = self.root.push(Node::Leaf(lower));
            self.grow(split);
        }
    }
}

impl<T> Default for IntervalBTree<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> History<T> for IntervalBTree<T> {
    #[inline]
    fn insert(&mut self, at: Interval, value: T) {
        self.len += 1;
        if let Err(value) = self.tail.append(at, value) {
            self.insert_before(at, value);
        }
    }

    #[inline]
    fn overlapping(&self, at: Interval, mut visit: impl FnMut(Interval, &T)) {
        if self.tail.begin() < at.hi() {
            self.tail.overlapping(at, &mut visit);
        }
        self.root.overlapping(at, &mut visit);
    }

    fn retain_overlapping(&mut self, at: Interval, mut visit: impl FnMut(Interval, &mut T) -> Keep) {
        self.len -= self.tail.retain(at, &mut visit) + self.root.retain(at, &mut visit);
        self.root.collapse();
    }

    fn retain(&mut self, visit: impl FnMut(Interval, &mut T) -> Keep) {
        if let Ok(all) = Interval::from_bounds(0, u64::MAX) {
            self.retain_overlapping(all, visit);
        }
    }

    fn len(&self) -> usize {
        self.len
    }

    fn clear(&mut self) {
        *self = Self::new();
    }
}

#[cfg(test)]
impl<T> IntervalBTree<T> {
    /// Panics when an invariant is broken.
    pub(crate) fn check(&self) {
        assert_eq!(self.root.check(0, self.tail.begin()) + self.tail.check(0, u64::MAX), self.len);
    }
}
