//! A history with a limit: the oldest records go first, and how many went is counted.
//!
//! When the limit is reached, the oldest quarter goes at once: a sweep over everything a quarter of the limit's insertions, so a constant
//! number of steps an insertion. What is lost may be one side of a race; it is never an invented one. The caller reports
//! [`Bounded::lost`].

use crate::{History, Interval, Keep};
use std::num::NonZeroUsize;

/// There is no room, and nothing was to be dropped for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the history is full: it is limited to {limit} records")]
pub struct HistoryFull {
    /// How many records it can have.
    pub limit: NonZeroUsize,
}

/// A history of values with the turn they came in.
#[derive(Clone, Debug)]
pub struct Bounded<H> {
    history: H,
    limit: NonZeroUsize,
    turn: u64,
    lost: u64,
}

impl<H> Bounded<H> {
    /// Limits an empty history to so many records.
    pub fn new(history: H, limit: NonZeroUsize) -> Self {
        Self { history, limit, turn: 0, lost: 0 }
    }

    /// How many records were dropped to make room.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Stores a value if there is room.
    pub fn try_insert<T>(&mut self, at: Interval, value: T) -> Result<(), HistoryFull>
    where
        H: History<(u64, T)>,
    {
        if self.history.len() >= self.limit.get() {
            return Err(HistoryFull { limit: self.limit });
        }
        self.history.insert(at, (self.turn, value));
        self.turn += 1;
        Ok(())
    }

    fn make_room<T>(&mut self)
    where
        H: History<(u64, T)>,
    {
        let mut turns = Vec::with_capacity(self.history.len());
        self.history.retain(|_, &mut (turn, _)| {
            turns.push(turn);
            Keep::Yes
        });
        let quarter = (self.limit.get() / 4).min(turns.len().saturating_sub(1));
        let (_, &mut last, _) = turns.select_nth_unstable(quarter);
        let before = self.history.len();
        // Of a limit below four, one record goes.
        let goes = |turn: u64| turn < last || (quarter == 0 && turn == last);
        self.history.retain(|_, &mut (turn, _)| if goes(turn) { Keep::No } else { Keep::Yes });
        self.lost += (before - self.history.len()) as u64;
    }
}

impl<T, H: History<(u64, T)>> History<T> for Bounded<H> {
    fn insert(&mut self, at: Interval, value: T) {
        if self.history.len() >= self.limit.get() {
            self.make_room();
        }
        self.history.insert(at, (self.turn, value));
        self.turn += 1;
    }

    fn overlapping(&self, at: Interval, mut visit: impl FnMut(Interval, &T)) {
        self.history.overlapping(at, |at, (_, value)| visit(at, value));
    }

    fn retain_overlapping(&mut self, at: Interval, mut visit: impl FnMut(Interval, &mut T) -> Keep) {
        self.history.retain_overlapping(at, |at, (_, value)| visit(at, value));
    }

    fn retain(&mut self, mut visit: impl FnMut(Interval, &mut T) -> Keep) {
        self.history.retain(|at, (_, value)| visit(at, value));
    }

    fn len(&self) -> usize {
        self.history.len()
    }

    fn clear(&mut self) {
        self.history.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{IntervalBTree, Naive};

    fn at(lo: u64) -> Interval {
        Interval::from_len(lo, 8).expect("not empty")
    }

    fn oldest_go_first<H: History<(u64, u64)>>(history: H) {
        let mut bounded = Bounded::new(history, NonZeroUsize::new(100).expect("not zero"));
        for number in 0..1_000 {
            bounded.insert(at(number * 37 % 500), number);
            assert!(bounded.len() <= 100);
        }
        let mut left = Vec::new();
        bounded.retain(|_, &mut number| {
            left.push(number);
            Keep::Yes
        });
        left.sort_unstable();
        assert_eq!(left, (1_000 - left.len() as u64..1_000).collect::<Vec<_>>());
        assert_eq!(bounded.lost(), 1_000 - left.len() as u64);
    }

    #[test]
    fn the_oldest_go_first_and_are_counted() {
        oldest_go_first(Naive::new());
        oldest_go_first(IntervalBTree::new());
    }

    #[test]
    fn a_limit_of_one() {
        let mut bounded = Bounded::new(Naive::new(), NonZeroUsize::MIN);
        (0..3).for_each(|number| bounded.insert(at(0), number));
        assert_eq!((bounded.len(), bounded.lost()), (1, 2));
        bounded.overlapping(at(0), |_, &number| assert_eq!(number, 2));
        let error = bounded.try_insert(at(0), 9).expect_err("full");
        assert_eq!(error.to_string(), "the history is full: it is limited to 1 records");
        bounded.clear();
        assert_eq!(bounded.try_insert(at(0), 9), Ok(()));
    }
}
