//! Who accessed a byte last.

use crate::detector::SiteId;
use crate::event::Mark;
use thrille_history::{Disjoint, Interval, Treap};

/// Who, and where in the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Who.
    pub mark: Mark,
    /// Where.
    pub site: SiteId,
}

/// A map from bytes to entries.
pub trait Cells: Default {
    /// The entry of all these bytes, if it is one.
    fn covering(&self, at: Interval) -> Option<Entry>;

    /// Calls `visit` with what is stored in `at`, piece by piece in ascending order; pieces may reach beyond `at`.
    fn visit(&self, at: Interval, visit: impl FnMut(Interval, Entry));

    /// Says what is stored in `at` from now on: `change` is shown each piece within, stored or empty.
    fn update(&mut self, at: Interval, change: impl FnMut(Interval, Option<Entry>) -> Option<Entry>);

    /// Forgets what is stored there.
    fn forget(&mut self, at: Interval);

    /// Forgets everything.
    fn clear(&mut self);

    /// Whether nothing is stored.
    fn is_empty(&self) -> bool;

    /// Calls `visit` with all that is stored.
    fn entries(&self, visit: impl FnMut(Entry));
}

/// Intervals in a treap: STINT's.
pub type Treaps = Disjoint<Entry, Treap>;

impl Cells for Treaps {
    fn covering(&self, at: Interval) -> Option<Entry> {
        let mut found = None;
        self.overlapping(at, |stored, &entry| {
            if stored.covers(at) {
                found = Some(entry);
            }
        });
        found
    }

    fn visit(&self, at: Interval, mut visit: impl FnMut(Interval, Entry)) {
        self.overlapping(at, |stored, &entry| visit(stored, entry));
    }

    fn update(&mut self, at: Interval, mut change: impl FnMut(Interval, Option<Entry>) -> Option<Entry>) {
        // A look costs less than cutting the tree in pieces and putting it together again.
        let all = self.covering(at);
        if all.is_none() || change(at, all) != all {
            Disjoint::update(self, at, change);
        }
    }

    fn forget(&mut self, at: Interval) {
        if !Disjoint::is_empty(self) {
            Disjoint::update(self, at, |_, _| None);
        }
    }

    fn clear(&mut self) {
        Disjoint::clear(self);
    }

    fn is_empty(&self) -> bool {
        Disjoint::is_empty(self)
    }

    fn entries(&self, mut visit: impl FnMut(Entry)) {
        if let Ok(all) = Interval::from_bounds(0, u64::MAX) {
            self.overlapping(all, |_, &entry| visit(entry));
        }
    }
}
