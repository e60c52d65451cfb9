//! The detectors of the papers: accesses in, conflicts out, and what later accesses cannot tell apart is forgotten.
//!
//! A [`crate::History`] keeps every value. An [`AccessHistory`] knows what an access is, so that it need not: an access that can only
//! conflict where another one conflicts as well is dropped. Each of these is exact in the following sense, which the property tests check
//! against [`AllAccesses`], which drops nothing:
//!
//! - it reports a byte of a new access iff some earlier access conflicts with the new one there;
//! - what it reports as the other side is an earlier access that does conflict there.
//!
//! So it is never a whole conflict that gets lost, at most one of several partners of it.
//!
//! | file | store | which partner stays |
//! |---|---|---|
//! | `tries.rs` | [`crate::TrieSkiplist`] of UPC-Thrille | of each line the one with fewest locks: no pair of lines is lost |
//! | `rma.rs` | [`crate::RmaTree`] of RMA-Analyzer | of each access type the newest |
//! | `stint.rs` | [`crate::StintTreaps`] of STINT and PINT | last writer, left-most and right-most reader: exact up to a byte's first race |

use crate::{History, Interval, Naive};

/// What was accessed, as far as it matters later.
pub trait AccessHistory {
    /// Who accessed how.
    type Access;

    /// Calls `conflict` with bytes of `at` and an earlier access that conflicts there, then remembers the new access.
    fn access(&mut self, at: Interval, access: Self::Access, conflict: impl FnMut(Interval, &Self::Access));

    /// How many ranges are stored.
    fn ranges(&self) -> usize;

    /// Forgets everything.
    fn clear(&mut self);
}

/// The oracle: every access is kept, and asked.
#[derive(Clone, Debug)]
pub struct AllAccesses<A, C> {
    accesses: Naive<A>,
    conflicts: C,
}

impl<A, C: Fn(&A, &A) -> bool> AllAccesses<A, C> {
    /// An empty history of accesses that conflict by this rule, earlier access first.
    pub fn new(conflicts: C) -> Self {
        Self { accesses: Naive::new(), conflicts }
    }
}

impl<A, C: Fn(&A, &A) -> bool> AccessHistory for AllAccesses<A, C> {
    type Access = A;

    fn access(&mut self, at: Interval, access: A, mut conflict: impl FnMut(Interval, &A)) {
        self.accesses.overlapping(at, |stored, earlier| {
            if (self.conflicts)(earlier, &access)
                && let Some(both) = stored.intersection(at)
            {
                conflict(both, earlier);
            }
        });
        self.accesses.insert(at, access);
    }

    fn ranges(&self) -> usize {
        self.accesses.len()
    }

    fn clear(&mut self) {
        self.accesses.clear();
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::test_runner::TestCaseError;
    use std::fmt::Debug;

    /// Bytes in conflict, with each other side.
    fn told<H: AccessHistory>(history: &mut H, at: Interval, access: H::Access) -> Vec<(u64, H::Access)>
    where
        H::Access: Clone,
    {
        let mut told = Vec::new();
        history.access(at, access, |bytes, other| {
            assert!(at.covers(bytes));
            told.extend((bytes.lo()..bytes.hi()).map(|byte| (byte, other.clone())));
        });
        told
    }

    /// Checks the two promises at the top of this file.
    pub(crate) fn exact<H: AccessHistory>(
        mut history: H,
        conflicts: impl Fn(&H::Access, &H::Access) -> bool,
        accesses: &[(Interval, H::Access)],
    ) -> Result<(), TestCaseError>
    where
        H::Access: Clone + Debug + PartialEq,
    {
        let mut oracle = AllAccesses::new(conflicts);
        for (at, access) in accesses {
            let (found, expected) = (told(&mut history, *at, access.clone()), told(&mut oracle, *at, access.clone()));
            let bytes = |told: &[(u64, H::Access)]| {
                let mut bytes: Vec<u64> = told.iter().map(|&(byte, _)| byte).collect();
                bytes.sort_unstable();
                bytes.dedup();
                bytes
            };
            proptest::prop_assert_eq!(
                bytes(&found),
                bytes(&expected),
                "bytes in conflict with {:?} at {:?}",
                access,
                at
            );
            for pair in &found {
                proptest::prop_assert!(expected.contains(pair), "{:?} does not conflict with {:?}", pair, access);
            }
        }
        Ok(())
    }
}
