//! What a strand's own operations are using: the only thing that makes the moment of a load or store matter between two events.
//!
//! Others come before or after a strand at its events only. So all that a line does between two events is one record, at the position of
//! the first event, however many operations the strand issues in between, unless the bytes are those of an operation that is under way:
//! such an access keeps the position it is at.

use thrille_model::comb::{self, Teeth};
use thrille_model::{Rank, Segment};

/// More are not looked at one by one.
pub(crate) const FEW: usize = 8;

/// Bytes that an operation uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Addresses of private memory.
    Private(Teeth),
    /// Shared memory: whose, which part, which bytes of it.
    Shared(Rank, Segment, Teeth),
}

/// Bytes of shared memory that operations of one strand use now.
#[derive(Debug, Default)]
pub struct UnderWay {
    few: Vec<(Rank, Segment, Teeth)>,
    many: bool,
}

impl UnderWay {
    /// Of no operation.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.few.is_empty()
    }

    /// An operation uses these bytes from now on.
    pub fn add(&mut self, owner: Rank, segment: Segment, bytes: Teeth) {
        if self.few.len() < FEW {
            self.few.push((owner, segment, bytes));
        } else {
            self.many = true;
        }
    }

    /// All of it, if it is little.
    pub fn all(&self) -> Option<&[(Rank, Segment, Teeth)]> {
        (!self.many).then_some(&self.few)
    }

    /// No operation is under way.
    pub fn clear(&mut self) {
        self.few.clear();
        self.many = false;
    }

    /// Whether an operation may be using some of these bytes.
    #[inline(never)]
    pub fn touches(&self, owner: Rank, segment: Segment, lo: u64, hi: u64) -> bool {
        self.many
            || (self.few.iter()).any(|&(o, s, bytes)| {
                o == owner && if s == segment { overlap(bytes, lo, hi) } else { may_overlap(s, segment) }
            })
    }
}

/// Whether some of these bytes are between two others.
pub(crate) fn overlap(bytes: Teeth, lo: u64, hi: u64) -> bool {
    comb::tooth_at(bytes, lo).is_some_and(|tooth| tooth.lo() < hi)
}

/// Whether two different parts of one rank's memory may be the same bytes: windows lie anywhere.
fn may_overlap(a: Segment, b: Segment) -> bool {
    let window = |s| matches!(s, Segment::Window(_));
    window(a) || window(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use thrille_model::{Comb, Interval};

    fn solid(lo: u64, hi: u64) -> Teeth {
        (Interval::from_bounds(lo, hi).unwrap(), Comb::SOLID)
    }

    #[test]
    fn between_the_teeth_nothing_is_used() {
        let mut used = UnderWay::default();
        used.add(Rank(0), Segment::Heap, Comb::new(16, 32, 8, 4).unwrap());
        let touches = |lo, hi| used.touches(Rank(0), Segment::Heap, lo, hi);
        assert!(touches(0, 17) && touches(23, 24) && touches(24, 49) && touches(112, 120) && touches(0, 200));
        assert!(!touches(0, 16) && !touches(24, 48) && !touches(120, 200));
    }

    #[test]
    fn windows_may_be_anything_and_many_operations_everything() {
        let (me, other) = (Rank(0), Rank(1));
        let mut used = UnderWay::default();
        assert!(!used.touches(me, Segment::Heap, 0, 8));
        used.add(other, Segment::Heap, solid(8, 16));
        assert!(used.touches(other, Segment::Heap, 15, 17) && !used.touches(other, Segment::Heap, 16, 17));
        assert!(!used.touches(me, Segment::Heap, 8, 16) && !used.touches(other, Segment::Statics, 8, 16));
        used.add(me, Segment::Window(3), solid(0, 1));
        assert!(used.touches(me, Segment::Private, 4096, 4104) && used.touches(me, Segment::Window(4), 9, 10));
        for _ in 0..FEW {
            used.add(other, Segment::Statics, solid(0, 1));
        }
        assert!(used.touches(Rank(7), Segment::Heap, 0, 1));
        used.clear();
        assert!(used.is_empty() && !used.touches(other, Segment::Heap, 8, 16));
    }
}
