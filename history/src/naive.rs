//! The oracle: a list, scanned from one end to the other.
//!
//! Every operation but insertion costs the number of stored values. It is here to be obviously right, and is the
//! fastest structure there is for a dozen values.

use crate::{History, Interval, Keep};

/// A [`History`] that is a plain list.
#[derive(Clone, Debug)]
pub struct Naive<T> {
    entries: Vec<(Interval, T)>,
}

impl<T> Naive<T> {
    /// An empty history.
    pub const fn new() -> Self {
        Self { entries: Vec::new() }
    }
}

impl<T> Default for Naive<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> History<T> for Naive<T> {
    fn insert(&mut self, at: Interval, value: T) {
        self.entries.push((at, value));
    }

    fn overlapping(&self, at: Interval, mut visit: impl FnMut(Interval, &T)) {
        for (stored, value) in &self.entries {
            if stored.overlaps(at) {
                visit(*stored, value);
            }
        }
    }

    fn retain_overlapping(&mut self, at: Interval, mut visit: impl FnMut(Interval, &mut T) -> Keep) {
        self.entries.retain_mut(|(stored, value)| !stored.overlaps(at) || visit(*stored, value) == Keep::Yes);
    }

    fn retain(&mut self, mut visit: impl FnMut(Interval, &mut T) -> Keep) {
        self.entries.retain_mut(|(stored, value)| visit(*stored, value) == Keep::Yes);
    }

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn clear(&mut self) {
        self.entries.clear();
    }
}
