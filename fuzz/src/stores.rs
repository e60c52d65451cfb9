//! Histories against their oracles. Six bytes are an operation: what, where (two), how long (two), and a number.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use thrille_history::{
    AccessHistory, AccessType, AllAccesses, Bounded, Class, Coalescer, FragmentTreap, FragmentTree, History, Interval,
    IntervalBTree, IntervalSkiplist, Keep, Locked, Naive, Order, PAGE, RmaTree, StintTreaps, Touch, TrieSkiplist,
    Typed,
};

struct Op {
    what: u8,
    at: Interval,
    number: u8,
}

/// At most so many operations of one input: the oracles are slow.
const MOST: usize = 600;

fn ops(bytes: &[u8]) -> impl Iterator<Item = Op> {
    bytes.as_chunks::<6>().0.iter().take(MOST).map(|&[what, a, b, c, d, number]| {
        let (lo, len) = (u64::from(u16::from_le_bytes([a, b])), u64::from(u16::from_le_bytes([c, d])));
        let (lo, len) = match what >> 5 {
            // Dense, sparse, and at both ends of the address space.
            0..4 => (lo % 256, len % 32),
            4 | 5 => (lo, len % 300),
            6 => (u64::MAX - 1 - lo, len),
            _ => (lo << 40, len << 45),
        };
        let at = Interval::from_bounds(lo, lo.saturating_add(len.max(1))).expect("not empty");
        Op { what: what & 31, at, number }
    })
}

type Shown = Vec<(Interval, u32)>;

fn apply(history: &mut impl History<u32>, turn: u32, op: &Op) -> Shown {
    let mut shown = Shown::new();
    let modulus = u32::from(op.number % 5) + 1;
    let mut judge = |at: Interval, value: &mut u32| {
        shown.push((at, *value));
        if value.is_multiple_of(modulus) { Keep::No } else { Keep::Yes }
    };
    match op.what {
        0..18 => history.insert(op.at, turn),
        18..25 => history.overlapping(op.at, |at, value| shown.push((at, *value))),
        25..30 => history.retain_overlapping(op.at, judge),
        30 => history.retain(judge),
        _ if op.number == 0 => history.clear(),
        _ => history.retain_overlapping(op.at, |at, value| {
            let keep = judge(at, value);
            if keep == Keep::No && op.number > 128 { Keep::Yes } else { keep }
        }),
    }
    shown.sort_unstable();
    shown
}

fn agrees(mut history: impl History<u32>, bytes: &[u8]) {
    let mut oracle = Naive::new();
    for (op, turn) in ops(bytes).zip(0..) {
        assert_eq!(apply(&mut history, turn, &op), apply(&mut oracle, turn, &op));
        assert_eq!(history.len(), oracle.len());
    }
    let everything = Op { what: 24, at: Interval::from_bounds(0, u64::MAX).expect("not empty"), number: 0 };
    assert_eq!(apply(&mut history, 0, &everything), apply(&mut oracle, 0, &everything));
}

pub fn skiplist(bytes: &[u8]) {
    agrees(IntervalSkiplist::with_seed(bytes.len() as u64), bytes);
}

pub fn tree(bytes: &[u8]) {
    agrees(FragmentTree::new(), bytes);
}

pub fn treap(bytes: &[u8]) {
    agrees(FragmentTreap::new(), bytes);
}

pub fn btree(bytes: &[u8]) {
    agrees(IntervalBTree::new(), bytes);
}

/// What is there was inserted; what is not there, was removed or is counted.
pub fn bounded(bytes: &[u8]) {
    let limit = NonZeroUsize::new(1 + bytes.len() % 50).expect("not zero");
    let mut history = Bounded::new(IntervalBTree::new(), limit);
    let (mut inserted, mut removed) = (0_u64, 0_u64);
    for (op, turn) in ops(bytes).zip(0_u32..) {
        if op.what < 25 {
            history.insert(op.at, turn);
            inserted += 1;
        } else {
            history.retain_overlapping(op.at, |_, _| {
                removed += 1;
                Keep::No
            });
        }
        assert!(history.len() <= limit.get());
        assert_eq!(history.len() as u64, inserted - removed - history.lost());
    }
}

pub fn coalescer(bytes: &[u8]) {
    const SPAN: u64 = 1 << 16;
    let mut coalescer = Coalescer::with_pages(16);
    let mut expected = BTreeSet::new();
    let check = |coalescer: &mut Coalescer, expected: &mut BTreeSet<(u32, u64)>| {
        let mut last = None;
        coalescer.drain(|class, at| {
            assert!(last < Some((class, at.lo())), "sorted, disjoint, not adjacent");
            last = Some((class, at.hi()));
            for byte in at.lo()..at.hi() {
                assert!(expected.remove(&(class.0, byte)), "byte {byte} of class {} was not set", class.0);
            }
        });
        assert!(expected.is_empty(), "lost: {expected:?}");
        assert!(coalescer.is_empty());
    };
    for op in ops(bytes).filter(|op| op.at.hi() <= SPAN) {
        let class = u32::from(op.number % 3);
        let (lo, hi) = (op.at.lo(), op.at.hi());
        if coalescer.set(Class(class), lo, hi).is_err() {
            // Pages before the one that there was no leaf for are in.
            let whole = expected.clone();
            let mut found = BTreeSet::new();
            coalescer.drain(|class, at| found.extend((at.lo()..at.hi()).map(|byte| (class.0, byte))));
            assert!(whole.is_subset(&found));
            assert!(
                found.iter().all(|&(c, byte)| whole.contains(&(c, byte)) || (c == class && op.at.covers(one(byte))))
            );
            assert!(lo / PAGE < SPAN);
            expected.clear();
        } else {
            expected.extend((lo..hi).map(|byte| (class, byte)));
        }
        if op.what == 31 {
            check(&mut coalescer, &mut expected);
        }
    }
    check(&mut coalescer, &mut expected);
}

fn one(byte: u64) -> Interval {
    Interval::from_len(byte, 1).expect("not empty")
}

/// Dense accesses only: bytes are compared one by one.
fn accesses(bytes: &[u8]) -> impl Iterator<Item = Op> {
    ops(bytes).filter(|op| op.at.hi() < 1 << 17).take(150)
}

/// The bytes in conflict are those of the oracle, and each partner is one of its.
fn exact<H: AccessHistory>(
    mut history: H,
    conflicts: impl Fn(&H::Access, &H::Access) -> bool,
    accesses: impl Iterator<Item = (Interval, H::Access)>,
) where
    H::Access: Clone + PartialEq + std::fmt::Debug,
{
    let mut oracle = AllAccesses::new(conflicts);
    for (at, access) in accesses {
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        history.access(at, access.clone(), |bytes, other| found.push((bytes, other.clone())));
        oracle.access(at, access, |bytes, other| expected.push((bytes, other.clone())));
        let bytes = |told: &[(Interval, H::Access)]| -> BTreeSet<u64> {
            told.iter().flat_map(|(at, _)| at.lo()..at.hi()).collect()
        };
        assert_eq!(bytes(&found), bytes(&expected));
        for (at, other) in &found {
            for byte in at.lo()..at.hi() {
                assert!(expected.iter().any(|(told, who)| told.covers(one(byte)) && who == other), "no such conflict");
            }
        }
    }
}

pub fn tries(bytes: &[u8]) {
    let locked = |op: Op| {
        let touch = if op.what & 1 == 0 { Touch::Read } else { Touch::Write };
        let locks = (0..4_u32).filter(|lock| op.number >> lock & 1 == 1).collect();
        (op.at, Locked { strand: u32::from(op.number >> 4 & 3), site: u64::from(op.number >> 6), touch, locks })
    };
    exact(TrieSkiplist::new(), Locked::conflicts, accesses(bytes).map(locked));
}

pub fn rma(bytes: &[u8]) {
    let typed = |op: Op| (op.at, Typed { kind: AccessType::ALL[usize::from(op.number % 4)], debug: () });
    exact(RmaTree::new(), |a, b| a.kind.conflicts(b.kind), accesses(bytes).map(typed));
}

/// Groups of four strands that are parallel with each other; groups one after the other.
struct Groups;

impl Order<u32> for Groups {
    fn before(&self, one: u32, other: u32) -> bool {
        one / 4 < other / 4
    }
    fn earlier(&self, one: u32, other: u32) -> bool {
        one < other
    }
}

/// A byte has a race found iff it has one.
pub fn stint(bytes: &[u8]) {
    let mut treaps = StintTreaps::new(Groups);
    let races = |&(one, a): &(u32, Touch), &(other, b): &(u32, Touch)| {
        one != other && one / 4 == other / 4 && (a == Touch::Write || b == Touch::Write)
    };
    let mut oracle = AllAccesses::new(races);
    let (mut found, mut expected) = (BTreeSet::new(), BTreeSet::new());
    for (op, turn) in accesses(bytes).zip(0_u32..) {
        let touch = if op.what & 1 == 0 { Touch::Read } else { Touch::Write };
        // The group goes up with time; strands of a group run in any order, interleaved.
        let access = (turn / 12 * 4 + u32::from(op.number % 4), touch);
        treaps.access(op.at, access, |bytes, other| {
            assert!(races(other, &access));
            found.extend(bytes.lo()..bytes.hi());
        });
        oracle.access(op.at, access, |bytes, _| expected.extend(bytes.lo()..bytes.hi()));
    }
    assert_eq!(found, expected);
}
