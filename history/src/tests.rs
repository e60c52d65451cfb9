//! Every history against the oracle: random operations over many distributions of coordinates.
//!
//! `THRILLE_NIGHTLY=1` runs two hundred times as many cases: six million operations a structure. A failure prints the shrunk list of operations.

use crate::{
    AnyHistory, FragmentTreap, FragmentTree, History, Interval, IntervalBTree, IntervalSkiplist, Keep, Naive, Store,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};

/// Values are numbered in order of insertion, and so distinct: "each exactly once" is seen. `retain_*` adds to `seen`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Value {
    number: u32,
    seen: u32,
}

#[derive(Clone, Debug)]
enum Op {
    Insert(Interval),
    Overlapping(Interval),
    /// Removes values whose number is divisible by the second.
    RetainOverlapping(Interval, u32),
    Retain(u32),
    Clear,
}

fn interval(lo: u64, len: u64) -> Interval {
    let lo = lo.min(u64::MAX - 1);
    Interval::from_bounds(lo, lo.saturating_add(len.max(1))).expect("not empty")
}

/// Where a range begins.
#[derive(Clone, Copy, Debug)]
enum Place {
    At(u64),
    /// So many words after the operation's own: operations walk through memory.
    AfterTurn(u64),
}

#[derive(Clone, Copy, Debug)]
enum Direction {
    Up,
    Down,
}

/// What the ranges of one case look like: place and length of each.
fn shapes() -> impl Strategy<Value = BoxedStrategy<(Place, u64)>> {
    fn at(lo: impl Strategy<Value = u64> + 'static, len: impl Strategy<Value = u64> + 'static) -> Shape {
        Just((lo.prop_map(Place::At), len).boxed())
    }
    fn walk(offset: impl Strategy<Value = u64> + 'static, len: impl Strategy<Value = u64> + 'static) -> Shape {
        Just((offset.prop_map(Place::AfterTurn), len).boxed())
    }
    prop_oneof![
        // Dense: equal ends, equal ranges, nesting, adjacency.
        at(0..12_u64, 1..6_u64),
        at(0..60_u64, 1..40_u64),
        // Words of an array, in order; and runs of several, that overlap.
        walk(Just(0), Just(8)),
        walk(0..3_u64, prop_oneof![Just(8_u64), 1..200_u64]),
        // Same begin, same length, same middle.
        at(0..2_u64, 1..60_u64),
        at(0..500_u64, Just(100)),
        Just((0..50_u64).prop_map(|half| (Place::At(50 - half), 2 * half + 1)).boxed()),
        // Far apart, and around both ends of the address space.
        at(any::<u64>(), any::<u64>()),
        at((0..64_u32).prop_map(|bits| u64::MAX >> bits), any::<u64>()),
        at((u64::MAX - 20)..=u64::MAX, 1..25_u64),
    ]
}

type Shape = Just<BoxedStrategy<(Place, u64)>>;

/// A mix of operations over ranges of one shape.
fn ops() -> impl Strategy<Value = Vec<Op>> {
    (shapes(), prop_oneof![Just(Direction::Up), Just(Direction::Down)]).prop_flat_map(|(shape, direction)| {
        let drawn = prop::collection::vec((shape, 0..100_u32, 1..5_u32), 1..100);
        drawn.prop_map(move |drawn| {
            let turns = drawn.into_iter().zip(0_u64..);
            turns
                .map(|(((place, len), kind, modulus), turn)| op(kind, range(place, len, direction, turn), modulus))
                .collect()
        })
    })
}

fn range(place: Place, len: u64, direction: Direction, turn: u64) -> Interval {
    match (place, direction) {
        (Place::At(lo), _) => interval(lo, len),
        (Place::AfterTurn(words), Direction::Up) => interval((turn + words) * 8, len),
        (Place::AfterTurn(words), Direction::Down) => interval((1_000 - turn + words) * 8, len),
    }
}

/// One operation; of a hundred kinds, so many are of each.
fn op(kind: u32, at: Interval, modulus: u32) -> Op {
    match kind {
        0..60 => Op::Insert(at),
        60..78 => Op::Overlapping(at),
        78..94 => Op::RetainOverlapping(at, modulus),
        94..99 => Op::Retain(modulus),
        _ => Op::Clear,
    }
}

/// What a visitor was shown, in an order of its own.
type Shown = Vec<(Interval, Value)>;

/// Does one operation, and says what it showed.
fn apply(history: &mut impl History<Value>, turn: u32, op: &Op) -> Shown {
    let mut shown = Shown::new();
    let mut judge = |at: Interval, value: &mut Value, modulus: u32| {
        shown.push((at, *value));
        value.seen += 1;
        if value.number.is_multiple_of(modulus) { Keep::No } else { Keep::Yes }
    };
    match *op {
        Op::Insert(at) => history.insert(at, Value { number: turn, seen: 0 }),
        Op::Overlapping(at) => history.overlapping(at, |at, value| shown.push((at, *value))),
        Op::RetainOverlapping(at, modulus) => {
            history.retain_overlapping(at, |at, value| judge(at, value, modulus));
        }
        Op::Retain(modulus) => history.retain(|at, value| judge(at, value, modulus)),
        Op::Clear => history.clear(),
    }
    shown.sort();
    shown
}

/// Everything stored: no range is outside of the greatest.
fn contents(history: &impl History<Value>) -> Shown {
    let mut shown = Shown::new();
    history.overlapping(interval(0, u64::MAX), |at, value| shown.push((at, *value)));
    shown.sort();
    shown
}

fn agrees_with_naive<H: History<Value>>(mut history: H, ops: &[Op], check: impl Fn(&H)) -> Result<(), TestCaseError> {
    let mut oracle = Naive::new();
    for (turn, op) in ops.iter().enumerate() {
        let expected = apply(&mut oracle, turn as u32, op);
        prop_assert_eq!(apply(&mut history, turn as u32, op), expected, "operation {}: {:?}", turn, op);
        prop_assert_eq!(history.len(), oracle.len());
        prop_assert_eq!(history.is_empty(), oracle.is_empty());
        check(&history);
        prop_assert_eq!(contents(&history), contents(&oracle));
    }
    Ok(())
}

/// So many cases by day, two hundred times as many by night.
pub(crate) fn config(by_day: u32) -> Config {
    let cases = if std::env::var_os("THRILLE_NIGHTLY").is_some() { by_day * 200 } else { by_day };
    Config { cases, failure_persistence: None, ..Config::default() }
}

fn agree<H: History<Value>>(new: impl Fn(u64) -> H, check: impl Fn(&H)) {
    TestRunner::new(config(600))
        .run(&(any::<u64>(), ops()), |(seed, ops)| agrees_with_naive(new(seed), &ops, &check))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn skiplist_agrees_with_naive() {
    agree(IntervalSkiplist::with_seed, IntervalSkiplist::check);
}

#[test]
fn btree_agrees_with_naive() {
    agree(|_| IntervalBTree::new(), IntervalBTree::check);
}

#[test]
fn fragment_tree_agrees_with_naive() {
    agree(|_| FragmentTree::new(), FragmentTree::check);
}

#[test]
fn fragment_treap_agrees_with_naive() {
    agree(|_| FragmentTreap::new(), FragmentTreap::check);
}

/// Long enough to have many levels; checked now and then, since a check costs the square of the size.
fn agrees_when_large<H: History<Value>>(new: impl Fn() -> H, check: impl Fn(&H)) {
    let sizes: [(u64, u64); 4] = [(4_000, 30), (400_000, 30), (4_000, 2_000), (u64::MAX, u64::MAX / 2)];
    for (turn, (span, len)) in sizes.into_iter().enumerate() {
        let mut draws = Draws(turn as u64 + 1);
        let mut history = new();
        let mut oracle = Naive::new();
        for number in 0..3_000_u32 {
            let at = interval(draws.below(span), draws.below(len));
            let op = match draws.below(10) {
                0..6 => Op::Insert(at),
                6 | 7 => Op::Overlapping(at),
                _ => Op::RetainOverlapping(interval(at.lo(), len / 200), 2 + draws.below(3) as u32),
            };
            assert_eq!(apply(&mut history, number, &op), apply(&mut oracle, number, &op), "{op:?}");
            if number % 250 == 0 {
                check(&history);
            }
        }
        assert!(history.len() > 100, "large after all: {}", history.len());
        check(&history);
        assert_eq!(contents(&history), contents(&oracle));
        // Shrinks to nothing, in steps.
        for modulus in [5, 3, 2, 1] {
            let op = Op::Retain(modulus);
            assert_eq!(apply(&mut history, 0, &op), apply(&mut oracle, 0, &op));
            check(&history);
            assert_eq!(contents(&history), contents(&oracle));
        }
        assert!(history.is_empty());
    }
}

#[test]
fn large_histories_agree_with_naive() {
    agrees_when_large(|| IntervalSkiplist::with_seed(7), IntervalSkiplist::check);
    agrees_when_large(IntervalBTree::new, IntervalBTree::check);
}

/// Ranges that overlap thousands of others are not for fragments: fewer and shorter ones.
#[test]
fn large_fragment_histories_agree_with_naive() {
    for store in [Store::Tree, Store::Treap] {
        let (mut history, mut oracle) = (AnyHistory::new(store), Naive::new());
        let mut draws = Draws(11);
        for number in 0..4_000_u32 {
            let at = interval(draws.below(20_000), 1 + draws.below(64));
            let op = match draws.below(10) {
                0..6 => Op::Insert(at),
                6 | 7 => Op::Overlapping(at),
                _ => Op::RetainOverlapping(at, 2 + draws.below(3) as u32),
            };
            assert_eq!(apply(&mut history, number, &op), apply(&mut oracle, number, &op), "{op:?}");
        }
        assert!(history.len() > 500, "large after all: {}", history.len());
        assert_eq!(contents(&history), contents(&oracle));
    }
}

/// Both directions fill their leaves: memory for a range stays near its own 24 bytes.
#[test]
fn btree_is_compact() {
    let words = |order: &mut dyn Iterator<Item = u64>| {
        let mut history = IntervalBTree::new();
        order.for_each(|word| history.insert(interval(word * 8, 8), word));
        history.check();
        history.bytes() / history.len()
    };
    assert!(words(&mut (0..20_000)) <= 30);
    assert!(words(&mut (0..20_000).rev()) <= 30);
    let mut draws = Draws(3);
    assert!(words(&mut (0..20_000).map(|_| draws.below(1 << 40))) <= 48);
}

#[test]
fn same_seed_same_order() {
    let visit_all = |mut history: IntervalSkiplist<u32>| {
        let mut draws = Draws(5);
        (0..500).for_each(|number| history.insert(interval(draws.below(300), 1 + draws.below(90)), number));
        let mut order = Vec::new();
        history.overlapping(interval(100, 50), |_, number| order.push(*number));
        order
    };
    assert_eq!(visit_all(IntervalSkiplist::new()), visit_all(IntervalSkiplist::default()));
    assert_eq!(visit_all(IntervalSkiplist::with_seed(9)), visit_all(IntervalSkiplist::with_seed(9)));
}

#[test]
fn memory_is_reused() {
    let mut history = IntervalSkiplist::new();
    for round in 0..50_u64 {
        (0..64).for_each(|word| history.insert(interval((round + word) * 8, 8), word));
        assert_eq!((history.len(), history.ranges()), (64, 64));
        history.retain_overlapping(interval(0, u64::MAX), |at, _| if at.lo() > 8 { Keep::No } else { Keep::Yes });
        history.retain(|_, _| Keep::No);
        history.check();
    }
}

/// A small generator of its own (`SplitMix64`), for tests that draw without proptest.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }
}
