//! Equally spaced bytes: what a loop over a column, or over one member of an array of structures, touches.
//!
//! A comb is `width` bytes, the same again `stride` bytes further on, and so on up to the end of its range, which ends with a tooth. It is
//! *solid* when there are no gaps. One record stands for a million accesses of such a loop, and still says exactly which bytes.

use crate::interval::Interval;
use serde::{Deserialize, Serialize};

/// Which bytes of a range: those of the teeth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Comb {
    /// From the begin of a tooth to that of the next; 0 when there are no gaps.
    stride: u64,
    /// Bytes of a tooth.
    width: u64,
}

/// A range and which of its bytes.
pub type Teeth = (Interval, Comb);

impl Comb {
    /// All bytes of a range.
    pub const SOLID: Self = Self { stride: 0, width: 0 };

    /// `count` teeth of `width` bytes from `lo` on: the range, and the comb. None if teeth touch, or run over the end.
    pub fn new(lo: u64, stride: u64, width: u64, count: u64) -> Option<Teeth> {
        let len = stride.checked_mul(count.checked_sub(1)?)?.checked_add(width)?;
        let range = Interval::from_len(lo, len).ok()?;
        match count {
            1 => Some((range, Self::SOLID)),
            _ => (0 < width && width < stride).then_some((range, Self { stride, width })),
        }
    }

    /// Whether it is all bytes of its range.
    pub const fn is_solid(self) -> bool {
        self.stride == 0
    }

    /// From the begin of a tooth to that of the next; 0 when there are no gaps.
    pub const fn stride(self) -> u64 {
        self.stride
    }

    /// Bytes of all teeth.
    pub const fn bytes(self, range: Interval) -> u64 {
        match (range.len() - self.width).checked_div(self.stride) {
            Some(gaps) => (gaps + 1) * self.width,
            None => range.len(),
        }
    }

    /// Bytes of a tooth, of the whole range when there are no gaps.
    pub const fn width(self, range: Interval) -> u64 {
        if self.stride == 0 { range.len() } else { self.width }
    }
}

/// The tooth of `a` that holds this byte, or the first behind it, if there is one.
pub fn tooth_at((range, comb): Teeth, byte: u64) -> Option<Interval> {
    if byte >= range.hi() {
        return None;
    }
    if comb.is_solid() {
        return Some(range);
    }
    let from = byte.saturating_sub(range.lo());
    let mut number = from / comb.stride;
    if from % comb.stride >= comb.width {
        number += 1;
    }
    let lo = range.lo().checked_add(number.checked_mul(comb.stride)?)?;
    Interval::from_len(lo, comb.width).ok().filter(|tooth| tooth.hi() <= range.hi())
}

/// One tooth after the other.
pub fn teeth(of: Teeth) -> impl Iterator<Item = Interval> {
    std::iter::successors(tooth_at(of, of.0.lo()), move |tooth| tooth_at(of, tooth.hi()))
}

/// The first byte that is in both.
pub fn first_common(a: Teeth, b: Teeth) -> Option<u64> {
    let both = a.0.intersection(b.0)?;
    if a.1.is_solid() && b.1.is_solid() {
        return Some(both.lo());
    }
    if never_meet(a, b) {
        return None;
    }
    // From tooth to tooth, whichever is behind.
    let mut at = both.lo();
    while at < both.hi() {
        let (x, y) = (tooth_at(a, at)?, tooth_at(b, at)?);
        let begin = x.lo().max(y.lo()).max(at);
        if begin < x.hi().min(y.hi()) {
            return Some(begin);
        }
        at = begin;
    }
    None
}

/// Teeth of both, seen modulo what divides both strides, fall into different places: no walk is needed to know that.
fn never_meet((a, x): Teeth, (b, y): Teeth) -> bool {
    if x.is_solid() || y.is_solid() {
        return false;
    }
    let common = gcd(x.stride, y.stride);
    let ahead = (b.lo() % common + common - a.lo() % common) % common;
    ahead >= x.width && common - ahead >= y.width
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Whether every byte of `b` is in `a`, as far as that is seen at once.
pub fn covers(a: Teeth, b: Teeth) -> bool {
    if !a.0.covers(b.0) {
        return false;
    }
    let in_step = (b.0.lo() - a.0.lo()).is_multiple_of(a.1.stride.max(1));
    a.1.is_solid() || a.1 == b.1 && in_step || tooth_at(a, b.0.lo()).is_some_and(|tooth| tooth.covers(b.0))
}

/// The bytes of both as one, if they are: ranges that touch, one comb twice, or one that goes on where the other ends. `b` does not
/// begin before `a`.
pub fn join(a: Teeth, b: Teeth) -> Option<Teeth> {
    let ((x, teeth), (y, others)) = (a, b);
    if covers(a, b) {
        return Some(a);
    }
    if teeth.is_solid() && others.is_solid() {
        let touch = x.lo() <= y.lo() && y.lo() <= x.hi();
        return touch.then(|| Interval::from_bounds(x.lo(), x.hi().max(y.hi())).ok().map(|r| (r, Comb::SOLID)))?;
    }
    // What is left is a comb that is continued by one like it, or by a single tooth.
    let alike = !teeth.is_solid() && others.width(y) == teeth.width && (others.is_solid() || others == teeth);
    let in_step = y.lo() >= x.lo() && (y.lo() - x.lo()).is_multiple_of(teeth.stride.max(1));
    let no_gap = y.lo() <= x.hi().saturating_add(teeth.stride - teeth.width.min(teeth.stride));
    (alike && in_step && no_gap).then(|| Interval::from_bounds(x.lo(), x.hi().max(y.hi())).ok().map(|r| (r, teeth)))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn bytes(teeth: Teeth) -> BTreeSet<u64> {
        super::teeth(teeth).flat_map(|tooth| tooth.lo()..tooth.hi()).collect()
    }

    fn combs() -> impl Strategy<Value = Teeth> {
        let solid = (0u64..60, 1u64..30).prop_map(|(lo, len)| (Interval::from_len(lo, len).unwrap(), Comb::SOLID));
        let comb = (0u64..60, 1u64..9, 1u64..9, 1u64..12)
            .prop_filter_map("teeth", |(lo, width, gap, count)| Comb::new(lo, width + gap, width, count));
        prop_oneof![solid, comb]
    }

    #[test]
    fn a_comb_goes_on() {
        let comb = |lo, n| Comb::new(lo, 16, 8, n).unwrap();
        assert_eq!(join(comb(0, 4), comb(64, 4)), Some(comb(0, 8)));
        assert_eq!(join(comb(0, 4), comb(32, 4)), Some(comb(0, 6)));
        assert_eq!(join(comb(0, 4), comb(64, 1)), Some(comb(0, 5)));
        assert_eq!(join(comb(0, 4), comb(80, 4)), None);
        assert_eq!(join(comb(0, 4), comb(72, 4)), None);
    }

    #[test]
    fn teeth_have_gaps_between_them() {
        assert_eq!(Comb::new(0, 8, 8, 3), None);
        assert_eq!(Comb::new(0, 8, 0, 3), None);
        assert_eq!(Comb::new(0, 8, 4, 0), None);
        assert_eq!(Comb::new(u64::MAX - 9, 8, 4, 3), None);
        let (range, comb) = Comb::new(100, 16, 8, 1_000_000).unwrap();
        assert_eq!((range.lo(), range.len(), comb.width(range)), (100, 15_999_992, 8));
        let other = Comb::new(108, 16, 8, 1_000_000).unwrap();
        assert_eq!(first_common((range, comb), other), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn as_sets_of_bytes(a in combs(), b in combs()) {
            let (x, y) = (bytes(a), bytes(b));
            prop_assert_eq!(first_common(a, b), x.intersection(&y).next().copied());
            prop_assert_eq!(first_common(b, a), x.intersection(&y).next().copied());
            if covers(a, b) {
                prop_assert!(y.is_subset(&x));
            }
            prop_assert!(covers(a, a));
            if a.0.lo() <= b.0.lo() && let Some(joined) = join(a, b) {
                prop_assert_eq!(bytes(joined), x.union(&y).copied().collect::<BTreeSet<_>>());
            }
            prop_assert_eq!(x.len() as u64, a.1.bytes(a.0));
            prop_assert_eq!(x.first().copied(), Some(a.0.lo()));
            prop_assert_eq!(x.last().map(|last| last + 1), Some(a.0.hi()));
        }
    }
}
