//! Kinds of phases. Phases that begin at the same barrier, called from the same place, do the same as a rule; a race that exists only
//! between two lines of one kind is found if each site is looked at in each kind it is executed in.

/// Kinds that are told apart; later ones share the numbers of the earlier ones, in turn.
pub const MOST: usize = 32;

/// The kinds met so far.
#[derive(Debug)]
pub struct Kinds {
    met: Vec<u64>,
    /// The one that the thread is in: one bit.
    now: u32,
}

impl Kinds {
    /// Before the first barrier.
    pub fn new() -> Self {
        // The room for all is there from the beginning: nothing is allocated later.
        let mut met = Vec::with_capacity(MOST);
        met.push(0);
        Self { met, now: 1 }
    }

    /// The kind the thread is in, as a mask.
    #[inline(always)]
    pub fn now(&self) -> u32 {
        self.now
    }

    /// A phase begins at this barrier.
    pub fn begin(&mut self, barrier: u64) {
        let number = self.met.iter().position(|&met| met == barrier).unwrap_or_else(|| {
            if self.met.len() < MOST {
                self.met.push(barrier);
                self.met.len() - 1
            } else {
                (barrier.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % MOST
            }
        });
        self.now = 1 << number;
    }
}

impl Default for Kinds {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_barrier_is_the_same_kind() {
        let mut kinds = Kinds::new();
        let mut seen = vec![kinds.now()];
        for barrier in [10, 20, 10, 20] {
            kinds.begin(barrier);
            seen.push(kinds.now());
        }
        assert_eq!(seen, [1, 2, 4, 2, 4]);
        for barrier in 100..200 {
            kinds.begin(barrier);
            assert_eq!(kinds.now().count_ones(), 1);
        }
    }
}
