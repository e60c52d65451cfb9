//! What keeps two accesses apart without ordering them: `isolated` blocks, critical sections and locks, atomic instructions.
//!
//! The paper on ESP-bags has one `isolated` for all of the program. Programs have critical sections of several names, several locks at a time, and
//! atomics: an access has a set of locks, and two accesses exclude each other if they have one in common, or are both atomic in the same way.

use rustc_hash::FxHashMap;

/// A set of locks, by number in [`Guards`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Guard(pub u32);

impl Guard {
    /// Nothing.
    pub const NONE: Self = Self(0);
}

/// What makes an access atomic: accesses with equal numbers are atomic towards each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Atomicity(pub u64);

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Set {
    locks: Vec<u64>,
    atomicity: Option<Atomicity>,
}

/// All sets that accesses have had.
#[derive(Clone, Debug)]
pub struct Guards {
    sets: Vec<Set>,
    numbers: FxHashMap<Set, Guard>,
}

impl Default for Guards {
    fn default() -> Self {
        let none = Set::default();
        Self { sets: vec![none.clone()], numbers: [(none, Guard::NONE)].into_iter().collect() }
    }
}

impl Guards {
    /// The guard of an access under these locks. Locks are even numbers; one that is held together with other readers is the odd number above.
    pub fn of(&mut self, locks: impl IntoIterator<Item = u64>, atomicity: Option<Atomicity>) -> Guard {
        let mut locks: Vec<u64> = locks.into_iter().collect();
        locks.sort_unstable();
        locks.dedup();
        let set = Set { locks, atomicity };
        if let Some(&guard) = self.numbers.get(&set) {
            return guard;
        }
        let guard = Guard(self.sets.len() as u32);
        self.sets.push(set.clone());
        self.numbers.insert(set, guard);
        guard
    }

    /// Whether accesses with these guards cannot happen at the same time.
    pub fn exclude(&self, one: Guard, other: Guard) -> bool {
        if one == Guard::NONE || other == Guard::NONE {
            return false;
        }
        let (one, other) = (&self.sets[one.0 as usize], &self.sets[other.0 as usize]);
        let meet = |a: u64, b: u64| a >> 1 == b >> 1 && a & b & 1 == 0;
        one.locks.iter().any(|&a| other.locks.iter().any(|&b| meet(a, b)))
            || one.atomicity.is_some() && one.atomicity == other.atomicity
    }
}
