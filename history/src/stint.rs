//! The treaps of STINT and PINT: of each byte the last writer, the left-most reader and the right-most reader.
//!
//! Y. Xu et al.: *Efficient access history for race detection* (STINT), section 4; and *PINT*, which runs the program in parallel and so
//! needs the right-most reader too. That these three are enough for fork-join programs is due to M. Feng, C. Leiserson 1997 and
//! J. Mellor-Crummey 1991.
//!
//! # Algorithm
//!
//! Three maps of disjoint ranges. A write is compared with all three and becomes the last writer of all its bytes; what was there is
//! trimmed, cut or removed (`INSERTWRITEINTERVAL`, cases A to D, and `REMOVEOVERLAP`). A read is compared with the last writers, and becomes
//! the left-most (right-most) reader of the bytes where it is left (right) of the present one (`INSERTREADINTERVAL`).
//!
//! # Deviations from the paper
//!
//! - The four cases are one update of the tree of `disjoint.rs`: splits at both ends leave only whole pieces in the middle.
//! - Neighbours with the same accessor become one. The bound of `2m + 1` ranges after m insertions holds all the more.
//!
//! # What is merged away
//!
//! All readers but two, all writers but one. A byte's first race is always found, which is all that a detector for such programs
//! promises; later ones on the same byte may not be. Not for the analysis of one-sided programs, where order is not fork-join.

use crate::disjoint::{Disjoint, Treap};
use crate::{AccessHistory, Interval, Touch};

/// How strands are ordered.
pub trait Order<S> {
    /// Whether the first is done before the second begins.
    fn before(&self, one: S, other: S) -> bool;
    /// Whether the first comes first when the program is run by one processor, children before continuations.
    fn earlier(&self, one: S, other: S) -> bool;
}

/// See the top of `stint.rs`. `S` names a strand.
#[derive(Clone, Debug)]
pub struct StintTreaps<S, O> {
    order: O,
    writers: Disjoint<S, Treap>,
    leftmost: Disjoint<S, Treap>,
    rightmost: Disjoint<S, Treap>,
}

impl<S: Copy + Default + PartialEq, O: Order<S>> StintTreaps<S, O> {
    /// Nothing was accessed yet.
    pub fn new(order: O) -> Self {
        Self { order, writers: Disjoint::default(), leftmost: Disjoint::default(), rightmost: Disjoint::default() }
    }
}

impl<S: Copy + Default + PartialEq, O: Order<S>> AccessHistory for StintTreaps<S, O> {
    type Access = (S, Touch);

    fn access(&mut self, at: Interval, (strand, touch): (S, Touch), mut conflict: impl FnMut(Interval, &(S, Touch))) {
        let order = &self.order;
        let mut check = |stored: Interval, other: S, touch: Touch| {
            if other != strand
                && !order.before(other, strand)
                && !order.before(strand, other)
                && let Some(both) = stored.intersection(at)
            {
                conflict(both, &(other, touch));
            }
        };
        match touch {
            Touch::Write => {
                self.leftmost.overlapping(at, |stored, &reader| check(stored, reader, Touch::Read));
                self.rightmost.overlapping(at, |stored, &reader| check(stored, reader, Touch::Read));
                self.writers.update(at, |piece, writer| {
                    if let Some(writer) = writer {
                        check(piece, writer, Touch::Write);
                    }
                    Some(strand)
                });
            }
            Touch::Read => {
                self.writers.overlapping(at, |stored, &writer| check(stored, writer, Touch::Write));
                // In series the later one takes over; in parallel, the one further to the side.
                let keep = |old: Option<S>, further: &dyn Fn(S) -> bool| match old {
                    Some(old) if !order.before(old, strand) && !further(old) => Some(old),
                    _ => Some(strand),
                };
                self.leftmost.update(at, |_, old| keep(old, &|old| order.earlier(strand, old)));
                self.rightmost.update(at, |_, old| keep(old, &|old| order.earlier(old, strand)));
            }
        }
    }

    fn ranges(&self) -> usize {
        self.writers.len() + self.leftmost.len() + self.rightmost.len()
    }

    fn clear(&mut self) {
        self.writers.clear();
        self.leftmost.clear();
        self.rightmost.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn at(lo: u64, hi: u64) -> Interval {
        Interval::from_bounds(lo, hi).expect("not empty")
    }

    /// Strands by their places in the English and the Hebrew order (SP-order): before iff before in both.
    #[derive(Clone, Debug)]
    struct SpOrder {
        english: Vec<usize>,
        hebrew: Vec<usize>,
    }

    impl Order<usize> for &SpOrder {
        fn before(&self, one: usize, other: usize) -> bool {
            self.english[one] < self.english[other] && self.hebrew[one] < self.hebrew[other]
        }
        fn earlier(&self, one: usize, other: usize) -> bool {
            self.english[one] < self.english[other]
        }
    }

    type Writers = Disjoint<char, Treap>;

    fn write(tree: &mut Writers, lo: u64, hi: u64, strand: char) {
        tree.update(at(lo, hi), |_, _| Some(strand));
        tree.check();
    }

    fn writers(stored: &[(u64, u64, char)]) -> Writers {
        let mut tree = Writers::default();
        for &(lo, hi, strand) in stored {
            write(&mut tree, lo, hi, strand);
        }
        tree
    }

    #[test]
    fn write_case_a_no_overlap() {
        let mut tree = writers(&[(10, 20, 'y')]);
        write(&mut tree, 30, 40, 'x');
        write(&mut tree, 0, 5, 'w');
        assert_eq!(tree.pieces(), [(0, 5, 'w'), (10, 20, 'y'), (30, 40, 'x')]);
    }

    #[test]
    fn write_case_b_partial_overlap() {
        let mut tree = writers(&[(10, 20, 'y')]);
        write(&mut tree, 15, 30, 'x');
        assert_eq!(tree.pieces(), [(10, 15, 'y'), (15, 30, 'x')]);
        write(&mut tree, 5, 12, 'w');
        assert_eq!(tree.pieces(), [(5, 12, 'w'), (12, 15, 'y'), (15, 30, 'x')]);
    }

    #[test]
    fn write_case_c_old_one_bigger() {
        let mut tree = writers(&[(10, 40, 'y')]);
        write(&mut tree, 20, 30, 'x');
        assert_eq!(tree.pieces(), [(10, 20, 'y'), (20, 30, 'x'), (30, 40, 'y')]);
        write(&mut tree, 10, 15, 'w');
        write(&mut tree, 35, 40, 'w');
        assert_eq!(tree.pieces(), [(10, 15, 'w'), (15, 20, 'y'), (20, 30, 'x'), (30, 35, 'y'), (35, 40, 'w')]);
    }

    /// With `REMOVEOVERLAP` on both sides: trimmed, removed, removed, trimmed.
    #[test]
    fn write_case_d_new_one_bigger() {
        let mut tree = writers(&[(0, 10, 'a'), (12, 20, 'b'), (20, 24, 'c'), (30, 40, 'd')]);
        write(&mut tree, 5, 35, 'x');
        assert_eq!(tree.pieces(), [(0, 5, 'a'), (5, 35, 'x'), (35, 40, 'd')]);
    }

    /// Reads with a relation that is given: which old accessors the new one is left of.
    fn read(
        stored: &[(u64, u64, char)],
        (lo, hi, strand): (u64, u64, char),
        left_of: &[char],
    ) -> Vec<(u64, u64, char)> {
        let mut tree = writers(stored);
        tree.update(at(lo, hi), |_, old| Some(old.filter(|old| !left_of.contains(old)).unwrap_or(strand)));
        tree.check();
        tree.pieces()
    }

    #[test]
    fn read_case_b_partial_overlap() {
        assert_eq!(read(&[(10, 20, 'y')], (15, 30, 'x'), &['y']), [(10, 15, 'y'), (15, 30, 'x')]);
        assert_eq!(read(&[(10, 20, 'y')], (15, 30, 'x'), &[]), [(10, 20, 'y'), (20, 30, 'x')]);
    }

    #[test]
    fn read_case_c_old_one_bigger() {
        assert_eq!(read(&[(10, 40, 'y')], (20, 30, 'x'), &['y']), [(10, 20, 'y'), (20, 30, 'x'), (30, 40, 'y')]);
        assert_eq!(read(&[(10, 40, 'y')], (20, 30, 'x'), &[]), [(10, 40, 'y')]);
    }

    /// The example at the beginning of section 4: `e` is left of `a` and `c`, but not of `b` and `d`.
    #[test]
    fn read_case_d_new_one_bigger() {
        let stored = [(8, 16, 'a'), (24, 32, 'b'), (40, 52, 'c'), (52, 60, 'd')];
        let expected = [(8, 12, 'a'), (12, 24, 'e'), (24, 32, 'b'), (32, 52, 'e'), (52, 60, 'd')];
        assert_eq!(read(&stored, (12, 56, 'e'), &['a', 'c']), expected);
    }

    /// The example of the proof of lemma 4.1: one insertion doubles the number of ranges.
    #[test]
    fn lemma_4_1_an_insertion_may_fill_every_gap() {
        let stored = [(1, 2, 'a'), (3, 4, 'b'), (5, 6, 'c')];
        let after = read(&stored, (0, 7, 'd'), &[]);
        assert_eq!(after.iter().map(|p| p.2).collect::<String>(), "dadbdcd");
    }

    /// A program of fork and join, as the order of its strands: parallel halves swap places in the Hebrew order.
    #[derive(Clone, Debug)]
    enum Program {
        Strand,
        Series(Box<Program>, Box<Program>),
        Parallel(Box<Program>, Box<Program>),
    }

    impl Program {
        fn strands(&self) -> usize {
            match self {
                Self::Strand => 1,
                Self::Series(a, b) | Self::Parallel(a, b) => a.strands() + b.strands(),
            }
        }

        /// Strands are numbered in the English order.
        fn hebrew(&self, first: usize, out: &mut Vec<usize>) {
            match self {
                Self::Strand => out.push(first),
                Self::Series(a, b) => {
                    a.hebrew(first, out);
                    b.hebrew(first + a.strands(), out);
                }
                Self::Parallel(a, b) => {
                    b.hebrew(first + a.strands(), out);
                    a.hebrew(first, out);
                }
            }
        }

        fn order(&self) -> SpOrder {
            let mut in_order = Vec::new();
            self.hebrew(0, &mut in_order);
            let mut hebrew = vec![0; in_order.len()];
            in_order.iter().enumerate().for_each(|(place, &strand)| hebrew[strand] = place);
            SpOrder { english: (0..in_order.len()).collect(), hebrew }
        }
    }

    fn programs() -> impl Strategy<Value = Program> {
        Just(Program::Strand).prop_recursive(5, 24, 2, |inner| {
            (inner.clone(), inner, any::<bool>()).prop_map(|(a, b, parallel)| {
                let (a, b) = (Box::new(a), Box::new(b));
                if parallel { Program::Parallel(a, b) } else { Program::Series(a, b) }
            })
        })
    }

    /// Runs strands in an order that respects the program: of those that are ready, the one that `draws` says.
    fn schedule(order: &SpOrder, draws: &[usize]) -> Vec<usize> {
        let mut left: Vec<usize> = (0..order.english.len()).collect();
        let mut draws = draws.iter().cycle();
        let mut run = Vec::new();
        while !left.is_empty() {
            let ready: Vec<usize> =
                left.iter().copied().filter(|&s| !left.iter().any(|&other| order.before(other, s))).collect();
            let next = ready[draws.next().copied().unwrap_or(0) % ready.len()];
            left.retain(|&s| s != next);
            run.push(next);
        }
        run
    }

    proptest! {
        #![proptest_config(crate::tests::config(256))]

        /// Of every byte: a race is found iff there is one; what is found is one. Whatever the schedule; left to right is STINT's.
        #[test]
        fn finds_a_race_on_each_byte_that_has_one(
            program in programs(),
            draws in prop::collection::vec(0..8_usize, 1..20),
            accesses in prop::collection::vec(prop::collection::vec((0..30_u64, 1..12_u64, any::<bool>()), 0..4), 24..60),
        ) {
            let order = program.order();
            let mut treaps = StintTreaps::new(&order);
            let (mut racy, mut found, mut all) = (BTreeSet::new(), BTreeSet::new(), Vec::<(Interval, usize, Touch)>::new());
            let mut inserted = 0;
            for strand in schedule(&order, &draws) {
                for &(lo, len, write) in &accesses[strand % accesses.len()] {
                    let (bytes, touch) = (at(lo, lo + len), if write { Touch::Write } else { Touch::Read });
                    let parallel = |other: usize| other != strand && !(&&order).before(other, strand) && !(&&order).before(strand, other);
                    for &(other, by, how) in &all {
                        if (touch == Touch::Write || how == Touch::Write) && parallel(by) && let Some(both) = other.intersection(bytes) {
                            racy.extend(both.lo()..both.hi());
                        }
                    }
                    treaps.access(bytes, (strand, touch), |both, &(by, how)| {
                        assert!(parallel(by) && (touch == Touch::Write || how == Touch::Write));
                        assert!((both.lo()..both.hi()).all(|b| all.iter().any(|&(o, s, t)| (s, t) == (by, how) && o.covers(at(b, b + 1)))));
                        found.extend(both.lo()..both.hi());
                    });
                    all.push((bytes, strand, touch));
                    inserted += 1;
                    for tree in [&treaps.writers, &treaps.leftmost, &treaps.rightmost] {
                        tree.check();
                        assert!(tree.len() <= 2 * inserted + 1, "lemma 4.1");
                    }
                }
            }
            prop_assert_eq!(found, racy);
        }
    }
}
