//! The history of UPC-Thrille: an interval skiplist with a trie of locksets for each range.
//!
//! C.-S. Park, K. Sen, C. Iancu: *Scaling data race detection for partitioned global address space programs*, ICS 2013, section 3.3, with the
//! tries and the weaker-than relation of J.-D. Choi et al.: *Efficient and precise datarace detection*, PLDI 2002, extended to ranges.
//!
//! # Algorithm
//!
//! The accesses of one range are in a trie: the path from the root is the lockset, in ascending order. A new access conflicts with what is
//! reached without an edge of a lock that it holds itself; the rest of the trie is not looked at.
//!
//! An access is **weaker** than another if it is of the same strand and line, its locks are a subset, it writes if the other does, and its
//! range covers the other's. Whatever conflicts with the other conflicts with it too, on the other's bytes. So a new access is dropped if
//! a weaker one is stored, and drops those that it is weaker than. Lines are compared, which the papers do not do: their relation keeps one
//! line of several, ours loses no pair of lines.
//!
//! The relation is transitive: dropping in any order is sound.

use crate::{AccessHistory, History, Interval, IntervalSkiplist, Keep};
use smallvec::SmallVec;

/// Whether memory is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Touch {
    /// It is not.
    Read,
    /// It is.
    Write,
}

/// A set of locks, by numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Lockset(SmallVec<[u32; 4]>);

impl FromIterator<u32> for Lockset {
    fn from_iter<I: IntoIterator<Item = u32>>(locks: I) -> Self {
        let mut locks: SmallVec<[u32; 4]> = locks.into_iter().collect();
        locks.sort_unstable();
        locks.dedup();
        Self(locks)
    }
}

impl Lockset {
    /// Whether a lock is in both.
    pub fn meets(&self, other: &Self) -> bool {
        self.0.iter().any(|lock| other.has(*lock))
    }

    fn has(&self, lock: u32) -> bool {
        self.0.binary_search(&lock).is_ok()
    }
}

/// An access under locks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Locked {
    /// Who.
    pub strand: u32,
    /// Which line.
    pub site: u64,
    /// How.
    pub touch: Touch,
    /// Under which locks.
    pub locks: Lockset,
}

impl Locked {
    /// Whether the two conflict where they overlap.
    pub fn conflicts(&self, other: &Self) -> bool {
        self.strand != other.strand
            && (self.touch == Touch::Write || other.touch == Touch::Write)
            && !self.locks.meets(&other.locks)
    }
}

#[derive(Clone, Debug)]
struct Node {
    lock: u32,
    children: SmallVec<[u32; 2]>,
    accesses: SmallVec<[(u32, u64, Touch); 2]>,
}

/// The accesses of one range.
#[derive(Clone, Debug)]
struct Trie {
    /// The first is the root, whose lock means nothing.
    nodes: Vec<Node>,
    len: usize,
}

impl Trie {
    fn of(access: &Locked) -> Self {
        let root = Node { lock: 0, children: SmallVec::new(), accesses: SmallVec::new() };
        let mut trie = Self { nodes: vec![root], len: 0 };
        trie.insert(access);
        trie
    }

    fn insert(&mut self, access: &Locked) {
        let mut node = 0;
        for &lock in &access.locks.0 {
            let known = self.nodes[node].children.iter().find(|&&child| self.nodes[child as usize].lock == lock);
            node = if let Some(&child) = known {
                child as usize
            } else {
                self.nodes.push(Node { lock, children: SmallVec::new(), accesses: SmallVec::new() });
                let child = self.nodes.len() - 1;
                self.nodes[node].children.push(child as u32);
                child
            };
        }
        self.nodes[node].accesses.push((access.strand, access.site, access.touch));
        self.len += 1;
    }

    /// Calls `found` with each stored access that conflicts.
    fn conflicts(&self, access: &Locked, node: usize, path: &mut SmallVec<[u32; 4]>, found: &mut impl FnMut(&Locked)) {
        for &(strand, site, touch) in &self.nodes[node].accesses {
            if strand != access.strand && (touch == Touch::Write || access.touch == Touch::Write) {
                found(&Locked { strand, site, touch, locks: Lockset(path.clone()) });
            }
        }
        for &child in &self.nodes[node].children {
            let lock = self.nodes[child as usize].lock;
            if !access.locks.has(lock) {
                path.push(lock);
                self.conflicts(access, child as usize, path, found);
                path.pop();
            }
        }
    }

    /// Whether an access weaker than this one is stored: one whose path is within its locks.
    fn has_weaker(&self, access: &Locked, node: usize) -> bool {
        let weaker = |&(strand, site, touch): &(u32, u64, Touch)| {
            (strand, site) == (access.strand, access.site) && touch >= access.touch
        };
        let node = &self.nodes[node];
        node.accesses.iter().any(weaker)
            || (node.children.iter().map(|&child| child as usize))
                .any(|child| access.locks.has(self.nodes[child].lock) && self.has_weaker(access, child))
    }

    /// Drops the accesses that this one is weaker than: those whose path has all its locks. `missing` are those not met yet.
    fn drop_stronger(&mut self, access: &Locked, node: usize, missing: &[u32]) {
        if missing.is_empty() {
            let accesses = &mut self.nodes[node].accesses;
            let before = accesses.len();
            accesses.retain(|&mut (strand, site, touch)| {
                (strand, site) != (access.strand, access.site) || touch > access.touch
            });
            self.len -= before - accesses.len();
        }
        for child in self.nodes[node].children.clone() {
            match missing.split_first() {
                // Locks ascend along a path: this one has passed the missing one.
                Some((&next, _)) if self.nodes[child as usize].lock > next => {}
                Some((&next, rest)) if self.nodes[child as usize].lock == next => {
                    self.drop_stronger(access, child as usize, rest);
                }
                _ => self.drop_stronger(access, child as usize, missing),
            }
        }
    }
}

/// See the top of `tries.rs`.
#[derive(Clone, Debug, Default)]
pub struct TrieSkiplist {
    ranges: IntervalSkiplist<Trie>,
}

impl TrieSkiplist {
    /// An empty history.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many accesses are stored.
    pub fn accesses(&self) -> usize {
        let mut accesses = 0;
        if let Ok(all) = Interval::from_bounds(0, u64::MAX) {
            self.ranges.overlapping(all, |_, trie| accesses += trie.len);
        }
        accesses
    }
}

impl AccessHistory for TrieSkiplist {
    type Access = Locked;

    fn access(&mut self, at: Interval, access: Locked, mut conflict: impl FnMut(Interval, &Locked)) {
        let mut redundant = false;
        self.ranges.retain_overlapping(at, |stored, trie| {
            if let Some(both) = stored.intersection(at) {
                trie.conflicts(&access, 0, &mut SmallVec::new(), &mut |other| conflict(both, other));
            }
            redundant = redundant || (stored.covers(at) && trie.has_weaker(&access, 0));
            if at.covers(stored) && !redundant {
                trie.drop_stronger(&access, 0, &access.locks.0);
            }
            if trie.len == 0 { Keep::No } else { Keep::Yes }
        });
        if redundant {
            return;
        }
        let mut known = false;
        self.ranges.retain_overlapping(at, |stored, trie| {
            if stored == at {
                trie.insert(&access);
                known = true;
            }
            Keep::Yes
        });
        if !known {
            self.ranges.insert(at, Trie::of(&access));
        }
    }

    fn ranges(&self) -> usize {
        self.ranges.len()
    }

    fn clear(&mut self) {
        self.ranges.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::tests::exact;
    use proptest::prelude::*;

    fn at(lo: u64, hi: u64) -> Interval {
        Interval::from_bounds(lo, hi).expect("not empty")
    }

    fn access(strand: u32, touch: Touch, locks: &[u32]) -> Locked {
        Locked { strand, site: 1, touch, locks: locks.iter().copied().collect() }
    }

    fn conflicts(history: &mut TrieSkiplist, at: Interval, access: Locked) -> usize {
        let mut conflicts = 0;
        history.access(at, access, |_, _| conflicts += 1);
        conflicts
    }

    #[test]
    fn weaker_accesses_stay_and_stronger_ones_go() {
        let mut history = TrieSkiplist::new();
        conflicts(&mut history, at(0, 8), access(0, Touch::Read, &[1, 2, 3]));
        conflicts(&mut history, at(2, 4), access(0, Touch::Write, &[3, 5, 7]));
        assert_eq!((history.ranges(), history.accesses()), (2, 2));
        // Fewer locks, a write, and all the bytes: weaker than both.
        conflicts(&mut history, at(0, 8), access(0, Touch::Write, &[3]));
        assert_eq!((history.ranges(), history.accesses()), (1, 1));
        // Nothing new: a weaker one is there.
        conflicts(&mut history, at(1, 3), access(0, Touch::Read, &[3, 4]));
        assert_eq!(history.accesses(), 1);
        // Another strand, another line, other locks, more bytes: all of these are.
        conflicts(&mut history, at(1, 3), access(1, Touch::Read, &[3]));
        conflicts(&mut history, at(1, 3), Locked { site: 2, ..access(0, Touch::Write, &[3]) });
        conflicts(&mut history, at(1, 3), access(0, Touch::Write, &[]));
        conflicts(&mut history, at(7, 9), access(0, Touch::Write, &[3]));
        assert_eq!((history.ranges(), history.accesses()), (3, 5));
    }

    #[test]
    fn a_common_lock_protects() {
        let mut history = TrieSkiplist::new();
        assert_eq!(conflicts(&mut history, at(0, 8), access(0, Touch::Write, &[1, 2])), 0);
        assert_eq!(conflicts(&mut history, at(0, 8), access(1, Touch::Write, &[2, 3])), 0);
        assert_eq!(conflicts(&mut history, at(0, 8), access(2, Touch::Read, &[1, 3])), 0);
        assert_eq!(conflicts(&mut history, at(0, 8), access(3, Touch::Read, &[1])), 1);
        assert_eq!(conflicts(&mut history, at(0, 8), access(3, Touch::Write, &[])), 3);
    }

    /// The paper's own weakness: ranges in order were ten times as slow as random ones. Their number is what counts here.
    #[test]
    fn sequential_ranges_of_a_loop_are_as_many_as_there_are() {
        let mut history = TrieSkiplist::new();
        for round in 0..3 {
            for i in 0..1_000 {
                assert_eq!(conflicts(&mut history, at(10 * i, 10 * i + 10), access(0, Touch::Read, &[])), 0);
            }
            assert_eq!((history.ranges(), history.accesses()), (1_000, 1_000), "round {round}");
        }
        history.clear();
        assert_eq!(history.ranges(), 0);
    }

    proptest! {
        #![proptest_config(crate::tests::config(256))]

        #[test]
        fn exact_for_random_accesses(accesses in prop::collection::vec(
            (0..30_u64, 1..15_u64, 0..3_u32, 0..2_u64, any::<bool>(), prop::collection::vec(0..4_u32, 0..3)), 0..60,
        )) {
            let accesses: Vec<_> = accesses.into_iter().map(|(lo, len, strand, site, write, locks)| {
                let touch = if write { Touch::Write } else { Touch::Read };
                (at(lo, lo + len), Locked { strand, site, touch, locks: locks.into_iter().collect() })
            }).collect();
            exact(TrieSkiplist::new(), Locked::conflicts, &accesses)?;
            // Lines are never lost: each byte is in conflict with the same lines as without pruning.
            let mut pruned = TrieSkiplist::new();
            let mut all = crate::AllAccesses::new(Locked::conflicts);
            for (bytes, access) in accesses {
                let mut lines = [Vec::new(), Vec::new()];
                pruned.access(bytes, access.clone(), |at, other| lines[0].extend((at.lo()..at.hi()).map(|b| (b, other.strand, other.site))));
                all.access(bytes, access, |at, other| lines[1].extend((at.lo()..at.hi()).map(|b| (b, other.strand, other.site))));
                for lines in &mut lines {
                    lines.sort_unstable();
                    lines.dedup();
                }
                prop_assert_eq!(&lines[0], &lines[1]);
            }
        }
    }
}
