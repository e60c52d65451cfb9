//! What is measured: our histories, and what else one could use.

use std::collections::{BTreeMap, HashMap};
use std::hint::black_box;
use thrille_history::{AnyHistory, History, Interval, IntervalBTree, IntervalSkiplist, Store};

/// Ranges in, overlaps out: returns how many there were, and a sum over their values, so that nothing is optimised away.
pub trait Peer {
    fn insert_all(&mut self, ranges: &[(u64, u64)]);
    fn search_all(&self, ranges: &[(u64, u64)]) -> (u64, u64);
}

pub const PEERS: [&str; 9] =
    ["btree", "skiplist", "tree", "treap", "std BTreeMap", "rust-lapper at once", "rust-lapper", "iset", "page table"];

pub fn peer(name: &str) -> Box<dyn Peer> {
    match name {
        "btree" => Box::new(Ours(IntervalBTree::new())),
        "skiplist" => Box::new(Ours(IntervalSkiplist::new())),
        "tree" => Box::new(Ours(AnyHistory::new(Store::Tree))),
        "treap" => Box::new(Ours(AnyHistory::new(Store::Treap))),
        "std BTreeMap" => Box::new(ByHand::default()),
        "rust-lapper at once" => Box::new(AtOnce(rust_lapper::Lapper::new(Vec::new()))),
        "rust-lapper" => Box::new(OneByOne(rust_lapper::Lapper::new(Vec::new()))),
        "iset" => Box::new(Iset(iset::IntervalMap::new())),
        "page table" => Box::new(PageTable::default()),
        _ => panic!("{name} is none of {PEERS:?}"),
    }
}

struct Ours<H>(H);

fn interval((lo, hi): (u64, u64)) -> Interval {
    Interval::from_bounds(lo, hi).expect("not empty")
}

impl<H: History<u64>> Peer for Ours<H> {
    fn insert_all(&mut self, ranges: &[(u64, u64)]) {
        for &range in ranges {
            self.0.insert(interval(black_box(range)), range.0);
        }
    }

    fn search_all(&self, ranges: &[(u64, u64)]) -> (u64, u64) {
        let (mut hits, mut sum) = (0, 0_u64);
        for &range in ranges {
            self.0.overlapping(interval(black_box(range)), |_, &value| {
                hits += 1;
                sum = sum.wrapping_add(value);
            });
        }
        (hits, sum)
    }
}

/// Ranges by their begins; a search begins as far before as the longest range is long.
#[derive(Default)]
struct ByHand {
    ranges: BTreeMap<(u64, u32), (u64, u64)>,
    longest: u64,
}

impl Peer for ByHand {
    fn insert_all(&mut self, ranges: &[(u64, u64)]) {
        for (&range, number) in ranges.iter().zip(0..) {
            let (lo, hi) = black_box(range);
            self.longest = self.longest.max(hi - lo);
            self.ranges.insert((lo, number), (hi, lo));
        }
    }

    fn search_all(&self, ranges: &[(u64, u64)]) -> (u64, u64) {
        let (mut hits, mut sum) = (0, 0_u64);
        for &range in ranges {
            let (lo, hi) = black_box(range);
            for (_, &(end, value)) in self.ranges.range((lo.saturating_sub(self.longest), 0)..(hi, 0)) {
                if end > lo {
                    hits += 1;
                    sum = sum.wrapping_add(value);
                }
            }
        }
        (hits, sum)
    }
}

fn lapper(range: (u64, u64)) -> rust_lapper::Interval<u64, u64> {
    rust_lapper::Interval { start: range.0, stop: range.1, val: range.0 }
}

fn find(lapper: &rust_lapper::Lapper<u64, u64>, ranges: &[(u64, u64)]) -> (u64, u64) {
    let (mut hits, mut sum) = (0, 0_u64);
    for &range in ranges {
        let (lo, hi) = black_box(range);
        for found in lapper.find(lo, hi) {
            hits += 1;
            sum = sum.wrapping_add(found.val);
        }
    }
    (hits, sum)
}

/// All ranges sorted at once: it can be searched only when all are there.
struct AtOnce(rust_lapper::Lapper<u64, u64>);

impl Peer for AtOnce {
    fn insert_all(&mut self, ranges: &[(u64, u64)]) {
        self.0 = rust_lapper::Lapper::new(ranges.iter().copied().map(lapper).collect());
    }

    fn search_all(&self, ranges: &[(u64, u64)]) -> (u64, u64) {
        find(&self.0, ranges)
    }
}

struct OneByOne(rust_lapper::Lapper<u64, u64>);

impl Peer for OneByOne {
    fn insert_all(&mut self, ranges: &[(u64, u64)]) {
        for &range in ranges {
            self.0.insert(lapper(black_box(range)));
        }
    }

    fn search_all(&self, ranges: &[(u64, u64)]) -> (u64, u64) {
        find(&self.0, ranges)
    }
}

struct Iset(iset::IntervalMap<u64, u64>);

impl Peer for Iset {
    fn insert_all(&mut self, ranges: &[(u64, u64)]) {
        for &range in ranges {
            let (lo, hi) = black_box(range);
            self.0.force_insert(lo..hi, lo);
        }
    }

    fn search_all(&self, ranges: &[(u64, u64)]) -> (u64, u64) {
        let (mut hits, mut sum) = (0, 0_u64);
        for &range in ranges {
            let (lo, hi) = black_box(range);
            for (_, &value) in self.0.iter(lo..hi) {
                hits += 1;
                sum = sum.wrapping_add(value);
            }
        }
        (hits, sum)
    }
}

/// STINT's "vanilla": pages of 4,096 bytes by hash, of each word of eight bytes the last value. It forgets all others.
#[derive(Default)]
struct PageTable {
    pages: HashMap<u64, Box<[u64; 512]>>,
}

impl Peer for PageTable {
    fn insert_all(&mut self, ranges: &[(u64, u64)]) {
        for &range in ranges {
            let (lo, hi) = black_box(range);
            for word in lo / 8..hi / 8 {
                self.pages.entry(word / 512).or_insert_with(|| Box::new([u64::MAX; 512]))[word as usize % 512] = lo;
            }
        }
    }

    fn search_all(&self, ranges: &[(u64, u64)]) -> (u64, u64) {
        let (mut hits, mut sum) = (0, 0_u64);
        for &range in ranges {
            let (lo, hi) = black_box(range);
            for word in lo / 8..hi / 8 {
                let value = self.pages.get(&(word / 512)).map_or(u64::MAX, |page| page[word as usize % 512]);
                if value != u64::MAX {
                    hits += 1;
                    sum = sum.wrapping_add(value);
                }
            }
        }
        (hits, sum)
    }
}
