//! Private memory that a strand's nonblocking operations use: while they do, what the strand does to it matters.

use thrille_model::Interval;

/// See above: a bounding box and the intervals.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    lo: u64,
    hi: u64,
    now: Union,
    /// All that was ever watched.
    ever: Union,
    /// How often that grew.
    grown: u32,
}

impl Watched {
    /// An operation uses these bytes from now on.
    pub fn add(&mut self, lo: u64, hi: u64) {
        if self.now.0.is_empty() {
            (self.lo, self.hi) = (lo, hi);
        }
        (self.lo, self.hi) = (self.lo.min(lo), self.hi.max(hi));
        self.now.add(lo, hi);
        if self.ever.add(lo, hi) {
            self.grown = self.grown.wrapping_add(1);
        }
    }

    /// No operation is under way.
    pub fn clear(&mut self) {
        self.now.0.clear();
        (self.lo, self.hi) = (0, 0);
    }

    /// Whether no private memory is used.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.now.0.is_empty()
    }

    /// Whether some of these bytes are used.
    #[inline]
    pub fn touches(&self, lo: u64, hi: u64) -> bool {
        lo < self.hi && self.lo < hi && self.now.touches(lo, hi)
    }

    /// Whether some of these bytes were ever used.
    pub fn touched(&self, lo: u64, hi: u64) -> bool {
        self.ever.touches(lo, hi)
    }

    /// What is used now.
    pub fn now(&self) -> impl Iterator<Item = Interval> {
        self.now.0.iter().filter_map(|&(lo, hi)| Interval::from_bounds(lo, hi).ok())
    }

    /// How often there was something new among it.
    pub fn grown(&self) -> u32 {
        self.grown
    }
}

/// Intervals as one set of bytes: in order, apart from one another. Thousands of buffers may be in use.
#[derive(Debug, Default)]
struct Union(Vec<(u64, u64)>);

impl Union {
    /// Whether it grew.
    fn add(&mut self, lo: u64, hi: u64) -> bool {
        let first = self.0.partition_point(|&(_, end)| end < lo);
        let end = first + self.0[first..].partition_point(|&(begin, _)| begin <= hi);
        if first < end && self.0[first].0 <= lo && hi <= self.0[first].1 {
            return false;
        }
        let joined = self.0[first..end].iter().fold((lo, hi), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        self.0.splice(first..end, [joined]);
        true
    }

    fn touches(&self, lo: u64, hi: u64) -> bool {
        let first = self.0.partition_point(|&(_, end)| end <= lo);
        self.0.get(first).is_some_and(|&(begin, _)| begin < hi)
    }
}

#[cfg(test)]
mod tests {
    use super::{Union, Watched};
    use proptest::prelude::*;

    #[test]
    fn what_was_watched_is_remembered() {
        let mut watched = Watched::default();
        for (interval, grown) in
            [((10, 20), 1), ((12, 18), 1), ((30, 40), 2), ((20, 25), 3), ((5, 45), 4), ((10, 20), 4)]
        {
            watched.add(interval.0, interval.1);
            assert_eq!(watched.grown, grown, "{interval:?}");
        }
        assert!(watched.touches(44, 50) && !watched.touches(45, 50));
        watched.clear();
        assert_eq!(watched.ever.0, [(5, 45)]);
        assert!(watched.ever.touches(44, 50) && !watched.ever.touches(45, 50) && !watched.ever.touches(0, 5));
        assert!(!watched.touches(10, 20));
    }

    proptest! {
        #[test]
        fn a_union_is_its_bytes(intervals in prop::collection::vec((0u64..60, 1u64..9), 0..20), at in 0u64..64, len in 1u64..9) {
            let mut union = Union::default();
            for (i, &(lo, len)) in intervals.iter().enumerate() {
                let known = (lo..lo + len).all(|byte| intervals[..i].iter().any(|&(a, n)| a <= byte && byte < a + n));
                prop_assert_eq!(union.add(lo, lo + len), !known);
            }
            let touches = intervals.iter().any(|&(lo, n)| lo < at + len && at < lo + n);
            prop_assert_eq!(union.touches(at, at + len), touches);
            prop_assert!(union.0.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
    }
}
