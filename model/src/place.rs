//! Where: byte intervals in one rank's memory, named so that they are the same from run to run.

use crate::strand::Rank;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A non-empty, half-open range of byte offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Interval {
    lo: u64,
    hi: u64,
}

/// Why a pair of numbers is no interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IntervalError {
    /// No byte at all.
    #[error("an interval of no bytes at offset {0:#x}: accesses of length 0 are to be dropped before they are recorded")]
    Empty(u64),
    /// Past the end of the address space.
    #[error("an interval of {len} bytes at {lo:#x} wraps around the end of the address space")]
    Wraps {
        /// First byte.
        lo: u64,
        /// Length asked for.
        len: u64,
    },
}

impl Interval {
    /// The bytes `lo..hi`.
    pub const fn new(lo: u64, hi: u64) -> Result<Self, IntervalError> {
        if lo < hi {
            Ok(Self { lo, hi })
        } else if lo == hi {
            Err(IntervalError::Empty(lo))
        } else {
            Err(IntervalError::Wraps { lo, len: hi.wrapping_sub(lo) })
        }
    }

    /// `len` bytes from `lo` on.
    pub const fn with_len(lo: u64, len: u64) -> Result<Self, IntervalError> {
        match lo.checked_add(len) {
            Some(hi) => Self::new(lo, hi),
            None => Err(IntervalError::Wraps { lo, len }),
        }
    }

    /// First byte.
    pub const fn lo(self) -> u64 {
        self.lo
    }

    /// One past the last byte.
    pub const fn hi(self) -> u64 {
        self.hi
    }

    /// Number of bytes.
    #[allow(clippy::len_without_is_empty)] // never empty
    pub const fn len(self) -> u64 {
        self.hi - self.lo
    }

    /// Whether the two share a byte.
    pub const fn overlaps(self, other: Self) -> bool {
        self.lo < other.hi && other.lo < self.hi
    }

    /// Whether every byte of `other` is in `self`.
    pub const fn covers(self, other: Self) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    /// The bytes of both, if any.
    pub fn intersection(self, other: Self) -> Option<Self> {
        Self::new(self.lo.max(other.lo), self.hi.min(other.hi)).ok()
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {})", self.lo, self.hi)
    }
}

/// A part of a rank's memory with offsets of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Segment {
    /// The symmetric heap; offsets from its start.
    Heap,
    /// Static and global variables; offsets from the start of the executable's data.
    Statics,
    /// Memory that only its own rank can name; offsets are addresses.
    Private,
}

/// Bytes of one rank's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// Whose memory.
    pub owner: Rank,
    /// Which part of it.
    pub segment: Segment,
    /// Which bytes of that part.
    pub bytes: Interval,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_is_a_typed_error() {
        assert_eq!(Interval::new(3, 3), Err(IntervalError::Empty(3)));
        assert_eq!(Interval::with_len(u64::MAX, 2), Err(IntervalError::Wraps { lo: u64::MAX, len: 2 }));
        assert!(Interval::new(5, 4).is_err());
        assert!(Interval::with_len(0, u64::MAX).is_ok());
    }

    #[test]
    fn neighbours_do_not_overlap() {
        let (a, b) = (Interval::new(0, 8).unwrap(), Interval::new(8, 16).unwrap());
        assert!(!a.overlaps(b));
        assert_eq!(a.intersection(b), None);
        assert!(a.overlaps(Interval::new(7, 9).unwrap()));
    }
}
