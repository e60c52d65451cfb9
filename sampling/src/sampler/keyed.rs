//! Things by their code addresses, found by looking in one place.
//!
//! A *hot* table, in which each address has one place, holds what every execution looks at: 16 bytes. Code addresses of calls are at least
//! four bytes apart, so that no two within 256 KB of code share a place; of those that do, the one met last is in it, and the others are put
//! back beside the rest of what is known of them, the *cold* part, found by hashing. All room is there from the beginning, and the
//! system provides it as it is used: nothing is allocated on the access path.

/// Fields of a hot place.
const TAG: usize = 0;
const LEFT: usize = 1;
const SEEN: usize = 2;
/// Number of the cold part, and one.
const INDEX: usize = 3;

/// The rest of what is known.
#[derive(Debug)]
struct Cold<T> {
    key: u64,
    left: u32,
    seen: u32,
    value: T,
}

/// A number of such a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id(u32);

/// What an execution finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met {
    /// There is more to let pass.
    Passes,
    /// It is time to decide, or nothing is known.
    Due,
}

/// All of them. `HOT` places, a power of 2.
#[derive(Debug)]
pub struct Keyed<T, const HOT: usize> {
    hot: Box<[[u32; 4]; HOT]>,
    /// Number and one by hash; 0 is free. Twice as many as there can be.
    index: Box<[u32]>,
    cold: Vec<Cold<T>>,
    most: usize,
}

impl<T, const HOT: usize> Keyed<T, HOT> {
    pub fn new(most: usize) -> Self {
        let index = vec![0; (2 * most).next_power_of_two()].into();
        // Through a vector, which asks the system for zeros and does not touch them.
        let hot = vec![[0; 4]; HOT].into_boxed_slice().try_into().unwrap_or_else(|_| Box::new([[0; 4]; HOT]));
        Self { hot, index, cold: Vec::with_capacity(most), most }
    }

    #[inline(always)]
    fn place(key: u64) -> usize {
        (key >> 2) as usize % HOT
    }

    /// One execution. It passes if it was met in this kind of phase before and, while looking, more are to be let pass.
    #[inline(always)]
    pub fn meet(&mut self, key: u64, kind: u32, looking: bool) -> Met {
        let hot = &mut self.hot[Self::place(key)];
        if hot[TAG] == key as u32 && hot[SEEN] & kind != 0 {
            if !looking {
                return Met::Passes;
            }
            hot[LEFT] = hot[LEFT].wrapping_sub(1);
            if hot[LEFT] != 0 {
                return Met::Passes;
            }
        }
        Met::Due
    }

    /// Brings it to its hot place; makes it if it is new; none if there are too many.
    pub fn load(&mut self, key: u64, new: impl FnOnce() -> T) -> Option<Id> {
        let place = Self::place(key);
        let [_, left, seen, resident] = self.hot[place];
        if let Some(resident) = resident.checked_sub(1) {
            if self.cold[resident as usize].key == key {
                return Some(Id(resident));
            }
            let cold = &mut self.cold[resident as usize];
            (cold.left, cold.seen) = (left, seen);
        }
        let id = self.find(key, new);
        self.hot[place] = match id {
            Some(Id(number)) => {
                let cold = &self.cold[number as usize];
                [key as u32, cold.left, cold.seen, number + 1]
            }
            None => [0; 4],
        };
        id
    }

    fn find(&mut self, key: u64, new: impl FnOnce() -> T) -> Option<Id> {
        let mask = self.index.len() - 1;
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while let Some(number) = self.index[at].checked_sub(1) {
            if self.cold[number as usize].key == key {
                return Some(Id(number));
            }
            at = (at + 1) & mask;
        }
        if self.cold.len() == self.most {
            return None;
        }
        self.cold.push(Cold { key, left: 0, seen: 0, value: new() });
        self.index[at] = self.cold.len() as u32;
        Some(Id(self.cold.len() as u32 - 1))
    }

    fn hot_of(&mut self, id: Id) -> Option<&mut [u32; 4]> {
        let hot = &mut self.hot[Self::place(self.cold[id.0 as usize].key)];
        (hot[INDEX] == id.0 + 1).then_some(hot)
    }

    /// How many are still to be let pass, and in which kinds of phases it was met.
    pub fn state(&mut self, id: Id) -> (u32, u32) {
        if let Some(hot) = self.hot_of(id) {
            return (hot[LEFT], hot[SEEN]);
        }
        let cold = &self.cold[id.0 as usize];
        (cold.left, cold.seen)
    }

    /// Sets how many executions from now on it is until the next decision.
    pub fn set_left(&mut self, id: Id, left: u32) {
        match self.hot_of(id) {
            Some(hot) => hot[LEFT] = left,
            None => self.cold[id.0 as usize].left = left,
        }
    }

    /// It was met in this kind of phase.
    pub fn set_seen(&mut self, id: Id, kind: u32) {
        match self.hot_of(id) {
            Some(hot) => hot[SEEN] |= kind,
            None => self.cold[id.0 as usize].seen |= kind,
        }
    }

    pub fn get(&mut self, id: Id) -> &mut T {
        &mut self.cold[id.0 as usize].value
    }

    /// All, with their addresses.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (u64, &mut T)> {
        self.cold.iter_mut().map(|cold| (cold.key, &mut cold.value))
    }

    pub fn ids(&self) -> impl Iterator<Item = Id> + use<T, HOT> {
        (0..self.cold.len() as u32).map(Id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        /// However places are shared, each thing keeps its own count.
        #[test]
        fn shared_places_lose_nothing(steps in prop::collection::vec((0u64..12, 1u32..4), 0..400)) {
            let mut keyed: Keyed<u64, 4> = Keyed::new(16);
            let mut naive: HashMap<u64, (u32, u32)> = HashMap::new();
            for (key, kind) in steps {
                let (key, kind) = (key * 4, 1 << kind);
                let expected = naive.entry(key).or_insert((0, 0));
                if keyed.meet(key, kind, true) == Met::Passes {
                    prop_assert!(expected.1 & kind != 0 && expected.0 > 1);
                    expected.0 -= 1;
                    continue;
                }
                let id = keyed.load(key, || key).unwrap();
                prop_assert_eq!(*keyed.get(id), key);
                let (left, seen) = keyed.state(id);
                prop_assert_eq!(seen, expected.1);
                // Brought back from elsewhere, it may only just not be due.
                prop_assert!(left == expected.0 || left + 1 == expected.0);
                *expected = (3, seen | kind);
                keyed.set_left(id, 3);
                keyed.set_seen(id, kind);
            }
        }
    }

    #[test]
    fn there_is_an_end_to_the_room() {
        let mut keyed: Keyed<(), 4> = Keyed::new(2);
        assert!(keyed.load(4, || ()).is_some() && keyed.load(8, || ()).is_some());
        assert!(keyed.load(12, || ()).is_none() && keyed.load(4, || ()).is_some());
    }
}
