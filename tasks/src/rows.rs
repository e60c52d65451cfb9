//! Equally spaced intervals: columns of a matrix, one element of many structures. A strand that reads such a row is remembered by one entry, until somebody asks.
//!
//! Of two readers of a byte the one stays that is later in an order of all strands (`sp_order.rs`: the Hebrew one; `pint/history.rs`: one of the two). That can be said whenever it is asked, and
//! the result does not depend on when. So the reads of rows are [`Rows`] beside the pages, and get into them when a write comes near, or never: most of what is read by columns is written by nobody
//! before all is serial again.

use crate::cells::{Cells, Entry};
use thrille_history::Interval;

/// `count` intervals of equal length, each `stride` bytes behind the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The first.
    pub first: Interval,
    /// From one begin to the next; of one interval, 0.
    pub stride: u64,
    /// How many.
    pub count: u32,
}

impl Row {
    /// One interval.
    pub fn one(at: Interval) -> Self {
        Self { first: at, stride: 0, count: 1 }
    }

    /// The intervals.
    pub fn intervals(self) -> impl Iterator<Item = Interval> {
        let (lo, len) = (self.first.lo(), self.first.len());
        (0..u64::from(self.count)).filter_map(move |number| Interval::from_len(lo + number * self.stride, len).ok())
    }

    /// From the first byte to the last.
    pub fn extent(&self) -> Interval {
        Interval::from_bounds(self.first.lo(), self.end()).unwrap_or(self.first)
    }

    /// One past the last byte.
    fn end(&self) -> u64 {
        self.first.hi() + self.stride * u64::from(self.count - 1)
    }
}

/// Makes rows of intervals that come in ascending order.
#[derive(Clone, Debug, Default)]
pub struct Rowing {
    open: Option<Row>,
}

impl Rowing {
    /// The next interval; a row that it does not go on is told.
    #[inline]
    pub fn add(&mut self, at: Interval, tell: impl FnOnce(Row)) {
        if let Some(row) = &mut self.open
            && row.first.len() == at.len()
        {
            if row.count == 1 {
                (row.stride, row.count) = (at.lo() - row.first.lo(), 2);
                return;
            }
            if at.lo() == row.first.lo() + row.stride * u64::from(row.count) && row.count < u32::MAX {
                row.count += 1;
                return;
            }
        }
        if let Some(row) = self.open.replace(Row::one(at)) {
            tell(row);
        }
    }

    /// There are no more.
    #[inline]
    pub fn end(&mut self, tell: impl FnOnce(Row)) {
        if let Some(row) = self.open.take() {
            tell(row);
        }
    }
}

/// Rows from so many intervals on are kept as such; all of them in tests.
pub(crate) const LONG: u32 = if cfg!(debug_assertions) { 1 } else { 8 };
/// So many are kept at most.
const MOST: usize = if cfg!(debug_assertions) { 5 } else { 1 << 16 };

/// See the top of `rows.rs`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    kept: Vec<(Row, Entry)>,
    /// All of them are in between.
    bounds: (u64, u64),
}

impl Rows {
    /// Keeps a row; whether there is room for more.
    pub fn keep(&mut self, row: Row, entry: Entry) -> bool {
        let (lo, hi) = (row.first.lo(), row.end());
        self.bounds = if self.kept.is_empty() { (lo, hi) } else { (self.bounds.0.min(lo), self.bounds.1.max(hi)) };
        self.kept.push((row, entry));
        self.kept.len() < MOST
    }

    /// Whether nothing is kept of these bytes. May not know.
    #[inline]
    pub fn is_clear_of(&self, at: Interval) -> bool {
        self.kept.is_empty() || at.hi() <= self.bounds.0 || self.bounds.1 <= at.lo()
    }

    /// Puts everything where it belongs; `stays` says which of two entries does.
    #[cold]
    pub fn settle(&mut self, cells: &mut impl Cells, mut stays: impl FnMut(Entry, Entry) -> Entry) {
        for (row, new) in self.kept.drain(..) {
            for at in row.intervals() {
                cells.update(at, |_, old| {
                    Some(old.map_or(new, |old| if old.mark == new.mark { old } else { stays(old, new) }))
                });
            }
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.kept.clear();
    }

    /// Calls `visit` with all that is kept.
    pub fn entries(&self, mut visit: impl FnMut(Entry)) {
        self.kept.iter().for_each(|&(_, entry)| visit(entry));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_are_their_intervals(gaps in prop::collection::vec((prop_oneof![Just(8u64), 1u64..20], prop_oneof![Just(4u64), 1u64..6]), 0..60)) {
            let mut at = 0;
            let intervals: Vec<Interval> = gaps.into_iter().map(|(gap, len)| {
                at += gap;
                let interval = Interval::from_len(at, len).expect("bytes");
                at += len;
                interval
            }).collect();
            let (mut rowing, mut rows) = (Rowing::default(), Vec::new());
            for &at in &intervals {
                rowing.add(at, |row| rows.push(row));
            }
            rowing.end(|row| rows.push(row));
            let all: Vec<Interval> = rows.iter().flat_map(|row| row.intervals()).collect();
            prop_assert_eq!(all, intervals);
            prop_assert!(rows.iter().all(|row| row.intervals().last().is_some_and(|last| last.hi() == row.end())));
        }
    }
}
