//! The fragment-and-merge tree of RMA-Analyzer.
//!
//! R. Vinayagame: *Rethinking data race detection in RMA-Analyzer*, section 4 and algorithms 1 to 3.
//!
//! # Algorithm
//!
//! Stored ranges are disjoint: a new access is cut at the ends of those it meets, and they at its own (algorithm 2). What both touched gets
//! the dominant of the two types, and its debug information: RMA over local, write over read (figure 7). Neighbours of equal type that
//! touch become one (algorithm 3). All three are [`Disjoint::update`].
//!
//! Two accesses conflict if one of them is RMA and one of them writes.
//!
//! # Deviation from the paper
//!
//! By figure 7 a local write and an RMA read of the same bytes make an RMA write. A later local read conflicts with that, but with neither
//! of the two: a false report. So the two stay side by side where they met ([`Seen`]), and everything is exact.
//! [`Seen::dominant`] is the table of the paper.
//!
//! # What is merged away
//!
//! The debug information of all but the newest access of a type at a byte, and of neighbours but the first. Never a conflict.

use crate::disjoint::{Avl, Disjoint};
use crate::{AccessHistory, Interval};

/// What an access is to the process whose memory it touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessType {
    /// A load.
    LocalRead,
    /// A store.
    LocalWrite,
    /// Origin of a Put, target of a Get.
    RmaRead,
    /// Origin of a Get, target of a Put.
    RmaWrite,
}

impl AccessType {
    /// All four, in the order of figure 7.
    pub const ALL: [Self; 4] = [Self::LocalRead, Self::LocalWrite, Self::RmaRead, Self::RmaWrite];

    fn rma(self) -> bool {
        matches!(self, Self::RmaRead | Self::RmaWrite)
    }

    fn writes(self) -> bool {
        matches!(self, Self::LocalWrite | Self::RmaWrite)
    }

    /// Whether two accesses to one byte are a race.
    pub fn conflicts(self, other: Self) -> bool {
        (self.rma() || other.rma()) && (self.writes() || other.writes())
    }

    /// Figure 7: the type of bytes that both touched.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        match (self.rma() || other.rma(), self.writes() || other.writes()) {
            (false, false) => Self::LocalRead,
            (false, true) => Self::LocalWrite,
            (true, false) => Self::RmaRead,
            (true, true) => Self::RmaWrite,
        }
    }

    /// Whether whatever conflicts with `other` conflicts with this one too.
    fn dominates(self, other: Self) -> bool {
        self.join(other) == self
    }
}

/// An access with what the report says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Typed<D> {
    /// What it is.
    pub kind: AccessType,
    /// Where it is in the program, say.
    pub debug: D,
}

/// What is known of some bytes: one access, or a local write and an RMA read. Equal if the types are.
#[derive(Clone, Copy, Debug)]
pub struct Seen<D> {
    one: Option<Typed<D>>,
    other: Option<Typed<D>>,
}

impl<D> Default for Seen<D> {
    fn default() -> Self {
        Self { one: None, other: None }
    }
}

impl<D> PartialEq for Seen<D> {
    fn eq(&self, seen: &Self) -> bool {
        let kinds = |seen: &Self| (seen.one.as_ref().map(|a| a.kind), seen.other.as_ref().map(|a| a.kind));
        kinds(self) == kinds(seen)
    }
}

impl<D: Copy> Seen<D> {
    fn accesses(&self) -> impl Iterator<Item = &Typed<D>> {
        self.one.iter().chain(&self.other)
    }

    /// The type of these bytes in the paper.
    pub fn dominant(&self) -> Option<AccessType> {
        self.accesses().map(|access| access.kind).reduce(AccessType::join)
    }

    fn with(self, new: Typed<D>) -> Self {
        let stays = |old: &Typed<D>| !new.kind.dominates(old.kind);
        if self.accesses().any(|old| old.kind != new.kind && old.kind.dominates(new.kind)) {
            return self;
        }
        match (self.one.filter(stays), self.other.filter(stays)) {
            (None, None) => Self { one: Some(new), other: None },
            // A local write and an RMA read: in the order of the types, so that equal pairs are equal.
            (Some(old), None) | (None, Some(old)) if old.kind < new.kind => Self { one: Some(old), other: Some(new) },
            (Some(old), None) | (None, Some(old)) => Self { one: Some(new), other: Some(old) },
            (Some(_), Some(_)) => self,
        }
    }
}

/// See the top of `rma.rs`. `D` is the debug information.
#[derive(Clone, Debug)]
pub struct RmaTree<D> {
    tree: Disjoint<Seen<D>, Avl>,
}

impl<D: Copy> Default for RmaTree<D> {
    fn default() -> Self {
        Self { tree: Disjoint::default() }
    }
}

impl<D: Copy> RmaTree<D> {
    /// An empty tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls `visit` with each node that overlaps `at`, in ascending order.
    pub fn nodes(&self, at: Interval, visit: impl FnMut(Interval, &Seen<D>)) {
        self.tree.overlapping(at, visit);
    }
}

impl<D: Copy> AccessHistory for RmaTree<D> {
    type Access = Typed<D>;

    fn access(&mut self, at: Interval, access: Typed<D>, mut conflict: impl FnMut(Interval, &Typed<D>)) {
        self.tree.update(at, |piece, seen| {
            let seen = seen.unwrap_or_default();
            seen.accesses().filter(|old| old.kind.conflicts(access.kind)).for_each(|old| conflict(piece, old));
            Some(seen.with(access))
        });
    }

    fn ranges(&self) -> usize {
        self.tree.len()
    }

    fn clear(&mut self) {
        self.tree.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::AccessType::{LocalRead, LocalWrite, RmaRead, RmaWrite};
    use super::*;
    use crate::access::tests::exact;
    use proptest::prelude::*;

    /// The bytes of the paper are inclusive.
    fn bytes(first: u64, last: u64) -> Interval {
        Interval::from_bounds(first, last + 1).expect("not empty")
    }

    /// Inserts; returns the conflicts.
    fn insert(tree: &mut RmaTree<u32>, at: Interval, kind: AccessType, debug: u32) -> Vec<(u64, u64, u32)> {
        let mut conflicts = Vec::new();
        tree.access(at, Typed { kind, debug }, |at, old| conflicts.push((at.lo(), at.hi() - 1, old.debug)));
        conflicts
    }

    fn nodes(tree: &RmaTree<u32>) -> Vec<(u64, u64, AccessType, u32)> {
        let mut nodes = Vec::new();
        tree.nodes(bytes(0, 1 << 40), |at, seen| {
            let debug = seen.accesses().last().expect("not empty").debug;
            nodes.push((at.lo(), at.hi() - 1, seen.dominant().expect("not empty"), debug));
        });
        tree.tree.check();
        nodes
    }

    /// `LOAD(4); Put(2, 12); STORE(7)`: the older tool sorts `[2, 12]` left of `[4]`, looks for 7 on the right, and finds nothing.
    #[test]
    fn figure_3_the_false_negative_is_found() {
        let mut tree = RmaTree::new();
        assert_eq!(insert(&mut tree, bytes(4, 4), LocalRead, 1), []);
        assert_eq!(insert(&mut tree, bytes(2, 12), RmaRead, 2), []);
        assert_eq!(insert(&mut tree, bytes(7, 7), LocalWrite, 3), [(7, 7, 2)]);
    }

    /// `for (i = 0; i < 1000; i++) Get(buf[i], 1, X)`, 8 bytes each here; and `i` itself.
    #[test]
    fn figure_4b_a_thousand_gets_are_one_node() {
        let mut tree = RmaTree::new();
        for i in 0..1000 {
            assert_eq!(insert(&mut tree, bytes(1 << 20, (1 << 20) + 3), LocalWrite, 1), []);
            assert_eq!(insert(&mut tree, bytes(8 * i, 8 * i + 7), RmaWrite, 2), []);
        }
        assert_eq!(nodes(&tree), [(0, 7999, RmaWrite, 2), (1 << 20, (1 << 20) + 3, LocalWrite, 1)]);
        // The second loop's Get of the same buffer is concurrent with the first.
        assert_eq!(insert(&mut tree, bytes(0, 7), RmaWrite, 3), [(0, 7, 2)]);
    }

    #[test]
    fn figure_7_types_of_bytes_that_both_touched() {
        let rows = [
            [LocalRead, LocalWrite, RmaRead, RmaWrite],
            [LocalWrite, LocalWrite, RmaWrite, RmaWrite],
            [RmaRead, RmaWrite, RmaRead, RmaWrite],
            [RmaWrite; 4],
        ];
        for (old, row) in AccessType::ALL.into_iter().zip(rows) {
            for (new, expected) in AccessType::ALL.into_iter().zip(row) {
                assert_eq!(old.join(new), expected);
                let mut tree = RmaTree::new();
                insert(&mut tree, bytes(0, 9), old, 1);
                insert(&mut tree, bytes(0, 9), new, 2);
                let found: Vec<_> = nodes(&tree).into_iter().map(|(lo, hi, kind, _)| (lo, hi, kind)).collect();
                assert_eq!(found, [(0, 9, expected)], "{old:?} then {new:?}");
            }
        }
    }

    /// What figure 7 would report falsely: a local read after a local write and a Put of the same bytes.
    #[test]
    fn a_local_write_and_an_rma_read_are_not_an_rma_write() {
        let mut tree = RmaTree::new();
        insert(&mut tree, bytes(0, 9), RmaRead, 1);
        assert_eq!(insert(&mut tree, bytes(0, 9), LocalWrite, 2), [(0, 9, 1)]);
        assert_eq!(insert(&mut tree, bytes(0, 9), LocalRead, 3), []);
        assert_eq!(insert(&mut tree, bytes(5, 5), RmaRead, 4), [(5, 5, 2)]);
    }

    /// An access that begins in a stored one and ends behind it: three parts.
    #[test]
    fn figure_8_fragments() {
        let mut tree = RmaTree::new();
        insert(&mut tree, bytes(0, 9), LocalRead, 1);
        insert(&mut tree, bytes(5, 14), RmaRead, 2);
        // Intersection and right part are of one type, and so one node.
        assert_eq!(nodes(&tree), [(0, 4, LocalRead, 1), (5, 14, RmaRead, 2)]);
        let mut tree = RmaTree::new();
        insert(&mut tree, bytes(0, 9), RmaRead, 1);
        insert(&mut tree, bytes(5, 14), LocalRead, 2);
        assert_eq!(nodes(&tree), [(0, 9, RmaRead, 1), (10, 14, LocalRead, 2)]);
        let mut tree = RmaTree::new();
        insert(&mut tree, bytes(0, 9), RmaRead, 1);
        insert(&mut tree, bytes(5, 14), LocalWrite, 2);
        let parts: Vec<_> = nodes(&tree).into_iter().map(|(lo, hi, kind, _)| (lo, hi, kind)).collect();
        assert_eq!(parts, [(0, 4, RmaRead), (5, 9, RmaWrite), (10, 14, LocalWrite)]);
    }

    /// Several of one type and a new one across them, of the same type: the gaps close.
    #[test]
    fn figure_9_merges() {
        let mut tree = RmaTree::new();
        for lo in [0, 20, 40] {
            insert(&mut tree, bytes(lo, lo + 9), RmaRead, lo as u32);
        }
        assert_eq!(tree.ranges(), 3);
        insert(&mut tree, bytes(5, 45), RmaRead, 99);
        assert_eq!(nodes(&tree), [(0, 49, RmaRead, 0)]);
    }

    /// First of the same type, then another type, then the same again: merged, fragmented, merged.
    #[test]
    fn figure_10_the_whole_insertion() {
        let mut tree = RmaTree::new();
        insert(&mut tree, bytes(0, 9), LocalRead, 1);
        insert(&mut tree, bytes(15, 19), LocalRead, 2);
        insert(&mut tree, bytes(25, 34), LocalWrite, 3);
        insert(&mut tree, bytes(38, 49), LocalRead, 4);
        insert(&mut tree, bytes(5, 44), LocalRead, 5);
        assert_eq!(nodes(&tree), [(0, 24, LocalRead, 1), (25, 34, LocalWrite, 3), (35, 49, LocalRead, 5)]);
    }

    proptest! {
        #![proptest_config(crate::tests::config(256))]

        #[test]
        fn exact_for_random_accesses(accesses in prop::collection::vec((0..60_u64, 1..25_u64, 0..4_usize), 0..80)) {
            // The type is its own debug information: which of several of a type is told does not matter.
            let accesses: Vec<_> = accesses.into_iter().map(|(lo, len, kind)| {
                (bytes(lo, lo + len - 1), Typed { kind: AccessType::ALL[kind], debug: kind })
            }).collect();
            exact(RmaTree::new(), |a, b| a.kind.conflicts(b.kind), &accesses)?;
        }
    }
}
