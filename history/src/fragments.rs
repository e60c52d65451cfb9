//! A history in which stored pieces never overlap: each piece lists the values whose ranges cover it.
//!
//! What the fragment-and-merge tree of RMA-Analyzer and the treaps of STINT do with single accesses, for any number of values and without
//! losing one: a new range is cut at the ends of the pieces it meets, and they at its own. Neighbours with equal lists become one
//! piece again. [`FragmentTree`] is balanced as an AVL tree, [`FragmentTreap`] as a treap.
//!
//! A range's first piece begins where the range does: the bytes before that list other values. So a value is shown in the piece that its
//! range begins with, or in the first piece that the search meets, and nowhere else.
//!
//! Cost: O(log n + pieces within the range) a search, insertion or removal, times the length of the lists. Ranges that overlap a lot of
//! others are expensive: of `n` ranges around one byte each is listed in up to `2n` pieces.

use crate::disjoint::{Avl, Balance, Disjoint, Treap};
use crate::{History, Interval, Keep};
use smallvec::SmallVec;

/// Values by number.
type List = SmallVec<[u32; 4]>;

/// [`Fragments`] in an AVL tree.
pub type FragmentTree<T> = Fragments<T, Avl>;
/// [`Fragments`] in a treap.
pub type FragmentTreap<T> = Fragments<T, Treap>;

/// A [`History`] of pieces that do not overlap: see the top of `fragments.rs`.
#[derive(Clone, Debug)]
pub struct Fragments<T, B> {
    pieces: Disjoint<List, B>,
    /// By number; none where it was removed.
    values: Vec<(Interval, Option<T>)>,
    free: Vec<u32>,
    /// Values found by the current call; empty between calls.
    found: Vec<u32>,
}

impl<T, B: Balance> Fragments<T, B> {
    /// An empty history.
    pub fn new() -> Self {
        Self { pieces: Disjoint::default(), values: Vec::new(), free: Vec::new(), found: Vec::new() }
    }

    /// How many pieces there are.
    pub fn pieces(&self) -> usize {
        self.pieces.len()
    }

    fn find(&self, at: Interval, mut visit: impl FnMut(u32)) {
        self.pieces.overlapping(at, |piece, list| {
            for &number in list {
                if piece.lo() <= at.lo() || self.values[number as usize].0.lo() == piece.lo() {
                    visit(number);
                }
            }
        });
    }

    fn retain_numbers(&mut self, mut visit: impl FnMut(Interval, &mut T) -> Keep) {
        let mut found = std::mem::take(&mut self.found);
        for number in found.drain(..) {
            let (at, value) = &mut self.values[number as usize];
            let at = *at;
            if value.as_mut().is_some_and(|value| visit(at, value) == Keep::No) {
                *value = None;
                self.free.push(number);
                self.pieces.update(at, |_, list| {
                    let mut list = list?;
                    list.retain(|&mut other| other != number);
                    (!list.is_empty()).then_some(list)
                });
            }
        }
        self.found = found;
        if self.len() == 0 {
            self.clear();
        }
    }
}

impl<T, B: Balance> Default for Fragments<T, B> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, B: Balance> History<T> for Fragments<T, B> {
    fn insert(&mut self, at: Interval, value: T) {
        let number = if let Some(number) = self.free.pop() {
            self.values[number as usize] = (at, Some(value));
            number
        } else {
            self.values.push((at, Some(value)));
            self.values.len() as u32 - 1
        };
        self.pieces.update(at, |_, list| {
            let mut list = list.unwrap_or_default();
            list.push(number);
            Some(list)
        });
    }

    fn overlapping(&self, at: Interval, mut visit: impl FnMut(Interval, &T)) {
        self.find(at, |number| {
            if let (at, Some(value)) = &self.values[number as usize] {
                visit(*at, value);
            }
        });
    }

    fn retain_overlapping(&mut self, at: Interval, visit: impl FnMut(Interval, &mut T) -> Keep) {
        let mut found = std::mem::take(&mut self.found);
        self.find(at, |number| found.push(number));
        self.found = found;
        self.retain_numbers(visit);
    }

    fn retain(&mut self, visit: impl FnMut(Interval, &mut T) -> Keep) {
        let alive = self.values.iter().zip(0..).filter(|((_, value), _)| value.is_some());
        self.found.extend(alive.map(|(_, number)| number));
        self.retain_numbers(visit);
    }

    fn len(&self) -> usize {
        self.values.len() - self.free.len()
    }

    fn clear(&mut self) {
        self.pieces.clear();
        self.values.clear();
        self.free.clear();
    }
}

#[cfg(test)]
impl<T, B: Balance> Fragments<T, B> {
    /// Panics when an invariant is broken.
    pub(crate) fn check(&self) {
        self.pieces.check();
        assert!(self.found.is_empty());
        for (piece, hi, list) in self.pieces.pieces() {
            for number in list {
                let (at, value) = &self.values[number as usize];
                assert!(value.is_some() && at.lo() <= piece && hi <= at.hi());
            }
        }
    }
}
