//! Locks protect, they do not order: an access carries the set of locks that were held for the whole of its duration.

use crate::place::Segment;
use crate::strand::Rank;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A lock, named alike by all who can take it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Lock {
    /// A lock of the whole job at a symmetric address.
    Symmetric(Segment, u64),
    /// The lock of a window at one of its ranks.
    Window(u32, Rank),
    /// A lock of one process: a mutex or a read-write lock at this address.
    Process(Rank, u64),
}

/// How a lock is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Mode {
    /// Together with other readers.
    Shared,
    /// Alone.
    Exclusive,
}

/// A lock that is held, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Held {
    /// Which lock.
    pub lock: Lock,
    /// How it is held.
    pub mode: Mode,
}

/// A lockset in some [`Locksets`] table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LocksetId(pub u32);

impl LocksetId {
    /// No lock at all: number 0 in every table.
    pub const EMPTY: Self = Self(0);
}

/// The locksets met so far, each once, sorted within.
#[derive(Clone, Debug)]
pub struct Locksets {
    sets: Vec<Box<[Held]>>,
    ids: FxHashMap<Box<[Held]>, LocksetId>,
}

impl Default for Locksets {
    fn default() -> Self {
        let mut new = Self { sets: Vec::new(), ids: FxHashMap::default() };
        new.intern(Vec::new());
        new
    }
}

impl Locksets {
    /// The number of this set, whatever the order of its locks.
    pub fn intern(&mut self, mut held: Vec<Held>) -> LocksetId {
        held.sort_unstable();
        held.dedup();
        if let Some(&id) = self.ids.get(held.as_slice()) {
            return id;
        }
        let id = LocksetId(u32::try_from(self.sets.len()).expect("fewer than 2^32 locksets"));
        self.sets.push(held.clone().into());
        self.ids.insert(held.into(), id);
        id
    }

    /// The locks of a set; a number this table never gave means no lock.
    pub fn get(&self, id: LocksetId) -> &[Held] {
        self.sets.get(id.0 as usize).map_or(&[], |set| set)
    }

    /// Every set, by number.
    pub fn sets(&self) -> &[Box<[Held]>] {
        &self.sets
    }

    /// Whether a lock that counts is in both sets, exclusively in at least one.
    pub fn exclude_each_other(&self, a: LocksetId, b: LocksetId, counts: impl Fn(Lock) -> bool) -> bool {
        let apart = |x: &Held, y: &Held| x.lock == y.lock && (x.mode == Mode::Exclusive || y.mode == Mode::Exclusive);
        self.get(a).iter().any(|x| counts(x.lock) && self.get(b).iter().any(|y| apart(x, y)))
    }
}

impl fmt::Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Symmetric(segment, offset) => write!(f, "lock at {segment:?}+{offset:#x}"),
            Self::Window(window, rank) => write!(f, "lock of window {window} at {rank}"),
            Self::Process(rank, address) => write!(f, "mutex {address:#x} of {rank}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(lock: u64, mode: Mode) -> Held {
        Held { lock: Lock::Process(Rank(0), lock), mode }
    }

    #[test]
    fn one_exclusive_holder_is_enough() {
        let mut sets = Locksets::default();
        let reader = sets.intern(vec![held(1, Mode::Shared)]);
        let writer = sets.intern(vec![held(2, Mode::Exclusive), held(1, Mode::Exclusive)]);
        let other = sets.intern(vec![held(2, Mode::Exclusive)]);
        let exclude_each_other = |a, b| sets.exclude_each_other(a, b, |_| true);
        assert!(exclude_each_other(reader, writer));
        assert!(!exclude_each_other(reader, reader));
        assert!(!exclude_each_other(reader, other));
        assert!(!exclude_each_other(LocksetId::EMPTY, writer));
        assert!(!sets.exclude_each_other(reader, writer, |lock| lock != Lock::Process(Rank(0), 1)));
        assert_eq!(sets.intern(vec![held(1, Mode::Exclusive), held(2, Mode::Exclusive)]), writer);
    }
}
