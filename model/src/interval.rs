//! The key of a history: a half-open byte range `[lo, hi)` that is never empty.
//!
//! The greatest `hi` is `u64::MAX`, so the one byte at address `u64::MAX` cannot be named; no program owns it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Bytes `lo..hi`, with `lo < hi`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "(u64, u64)", into = "(u64, u64)")]
pub struct Interval {
    lo: u64,
    hi: u64,
}

/// Why two numbers are not an [`Interval`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IntervalError {
    /// No byte in it.
    #[error("empty byte range at {lo:#x}")]
    Empty {
        /// Where it would begin.
        lo: u64,
    },
    /// It ends before it begins.
    #[error("byte range ends at {hi:#x}, before its begin at {lo:#x}")]
    Reversed {
        /// Where it would begin.
        lo: u64,
        /// Where it would end.
        hi: u64,
    },
    /// It runs over the end of the address space.
    #[error("{len} bytes at {lo:#x} run over the end of the address space")]
    Wraps {
        /// Where it would begin.
        lo: u64,
        /// How many bytes it would have.
        len: u64,
    },
}

impl TryFrom<(u64, u64)> for Interval {
    type Error = IntervalError;

    fn try_from((lo, hi): (u64, u64)) -> Result<Self, IntervalError> {
        Self::from_bounds(lo, hi)
    }
}

impl From<Interval> for (u64, u64) {
    fn from(interval: Interval) -> Self {
        (interval.lo, interval.hi)
    }
}

impl Interval {
    /// The `len` bytes from `lo`.
    pub const fn from_len(lo: u64, len: u64) -> Result<Self, IntervalError> {
        match lo.checked_add(len) {
            None => Err(IntervalError::Wraps { lo, len }),
            Some(hi) => Self::from_bounds(lo, hi),
        }
    }

    /// The bytes from `lo` up to, not including, `hi`.
    pub const fn from_bounds(lo: u64, hi: u64) -> Result<Self, IntervalError> {
        if lo < hi {
            Ok(Self { lo, hi })
        } else if lo == hi {
            Err(IntervalError::Empty { lo })
        } else {
            Err(IntervalError::Reversed { lo, hi })
        }
    }

    /// The first byte.
    pub const fn lo(self) -> u64 {
        self.lo
    }

    /// One past the last byte.
    pub const fn hi(self) -> u64 {
        self.hi
    }

    /// How many bytes: never zero, hence no `is_empty`.
    #[expect(clippy::len_without_is_empty, reason = "an interval is never empty")]
    pub const fn len(self) -> u64 {
        self.hi - self.lo
    }

    /// The bytes of both, if any.
    pub fn intersection(self, other: Self) -> Option<Self> {
        Self::from_bounds(self.lo.max(other.lo), self.hi.min(other.hi)).ok()
    }

    /// Whether some byte is in both. Adjacent ranges do not overlap.
    pub const fn overlaps(self, other: Self) -> bool {
        self.lo < other.hi && other.lo < self.hi
    }

    /// Whether every byte of `other` is in `self`.
    pub const fn covers(self, other: Self) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }
}

impl fmt::Debug for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{:#x}, {:#x})", self.lo, self.hi)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_of_the_address_space() {
        assert_eq!(Interval::from_len(7, 0), Err(IntervalError::Empty { lo: 7 }));
        assert_eq!(Interval::from_len(u64::MAX, 0), Err(IntervalError::Empty { lo: u64::MAX }));
        assert_eq!(Interval::from_len(u64::MAX, 1), Err(IntervalError::Wraps { lo: u64::MAX, len: 1 }));
        assert_eq!(Interval::from_len(2, u64::MAX), Err(IntervalError::Wraps { lo: 2, len: u64::MAX }));
        assert_eq!(Interval::from_bounds(9, 3), Err(IntervalError::Reversed { lo: 9, hi: 3 }));
        let all = Interval::from_len(0, u64::MAX).unwrap();
        assert_eq!((all.lo(), all.hi(), all.len()), (0, u64::MAX, u64::MAX));
        assert_eq!(Interval::from_len(u64::MAX - 1, 1).unwrap().hi(), u64::MAX);
    }

    #[test]
    fn adjacent_ranges_do_not_overlap() {
        let (a, b) = (Interval::from_len(0, 8).unwrap(), Interval::from_len(8, 8).unwrap());
        assert!(!a.overlaps(b) && !b.overlaps(a));
        let c = Interval::from_len(7, 2).unwrap();
        assert!(a.overlaps(c) && c.overlaps(a) && b.overlaps(c));
        assert!(!a.covers(c) && a.covers(a) && a.covers(Interval::from_len(1, 7).unwrap()));
    }
}
