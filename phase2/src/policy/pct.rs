//! Random priorities: each strand has one, drawn when it is first met; a strand waits while another of a higher priority may come. At a
//! few arrivals, drawn beforehand, the strand that arrives falls below all others. (Probabilistic concurrency testing: an ordering bug
//! that needs d events in a certain order is met with a probability of at least 1/(n k^(d-1)), whatever the program.)
//!
//! Where it deviates: only arrivals at live places are steps, and waits are bounded, because nobody knows whether a strand of a higher
//! priority will ever come.

use super::{At, Policy};
use crate::candidate::Side;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use std::time::Duration;
use thrille_model::Strand;

/// Changes of priority: for races that need so many events, and one, in order.
const CHANGES: usize = 2;
/// Arrivals among which they are drawn.
const STEPS: u64 = 64;

/// The policy.
pub struct Pct {
    random: Xoshiro256PlusPlus,
    patience: Duration,
    priorities: BTreeMap<Strand, u64>,
    changes: Vec<u64>,
    step: u64,
    lowest: u64,
}

impl Pct {
    /// With priorities from this seed.
    pub fn new(seed: u64, patience: Duration) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let changes = (0..CHANGES).map(|_| random.random_range(0..STEPS)).collect();
        Self { random, patience, priorities: BTreeMap::new(), changes, step: 0, lowest: 1 << 32 }
    }

    fn priority(&mut self, strand: Strand) -> u64 {
        let random = &mut self.random;
        *self.priorities.entry(strand).or_insert_with(|| (1 << 32) + random.random_range(0..1 << 31))
    }
}

impl Policy for Pct {
    fn hold(&mut self, at: &At) -> Duration {
        let mut mine = self.priority(at.strand);
        if self.changes.contains(&self.step) {
            self.lowest -= 1;
            mine = self.lowest;
            self.priorities.insert(at.strand, mine);
        }
        self.step += 1;
        // Who is not known yet may have any priority: the first to come waits for the second.
        let highest = self.priorities.len() > 1 && self.priorities.values().all(|&other| other <= mine);
        if highest { Duration::ZERO } else { self.patience / 2u32.saturating_pow(at.misses.min(8)) }
    }

    fn stalled(&mut self, held: &[At]) -> usize {
        let priorities: Vec<u64> = held.iter().map(|at| self.priority(at.strand)).collect();
        (0..held.len()).max_by_key(|&index| priorities[index]).unwrap_or(0)
    }

    fn met(&mut self) -> Option<Side> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Moment;
    use thrille_model::Rank;

    #[test]
    fn one_strand_at_a_time_is_the_highest_and_seeds_decide_which() {
        let at = |rank| At {
            strand: Strand { rank: Rank(rank), index: 0 },
            live: Some(0),
            moment: Moment::Point,
            misses: 0,
        };
        let mut winners = [0, 0];
        for seed in 0..200 {
            let mut pct = Pct { changes: Vec::new(), ..Pct::new(seed, Duration::from_millis(1)) };
            assert!(!pct.hold(&at(0)).is_zero(), "the first waits");
            pct.hold(&at(1));
            let free: Vec<u32> = (0..2).filter(|&rank| pct.hold(&at(rank)).is_zero()).collect();
            assert_eq!(free.len(), 1);
            assert_eq!(pct.stalled(&[at(0), at(1)]) as u32, free[0]);
            winners[free[0] as usize] += 1;
        }
        assert!(winners.iter().all(|&wins| wins > 50), "{winners:?}");
    }

    #[test]
    fn a_change_lowers_whoever_arrives() {
        let at = |rank| At {
            strand: Strand { rank: Rank(rank), index: 0 },
            live: Some(0),
            moment: Moment::Point,
            misses: 0,
        };
        let mut pct = Pct { changes: vec![2], ..Pct::new(1, Duration::from_millis(1)) };
        pct.hold(&at(0));
        pct.hold(&at(1));
        let highest = pct.stalled(&[at(0), at(1)]) as u32;
        pct.hold(&at(highest));
        assert_ne!(pct.stalled(&[at(0), at(1)]) as u32, highest);
    }
}
