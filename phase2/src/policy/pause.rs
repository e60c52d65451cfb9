//! Pause and match: whoever comes to one side waits for somebody at the other.
//!
//! Patience is adaptive: each time that a strand has waited at a place in vain, it waits half as long there the next time. Where nobody can move, it is
//! always the same one that goes on: of ranks that all do the same, one stays at its place while another comes to the next, which may be the other side.

use super::{At, Policy, cheapest};
use crate::candidate::Side;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::time::Duration;

/// Shorter waits are none.
const SHORTEST: Duration = Duration::from_micros(500);

/// The policy.
pub struct PauseAndMatch {
    patience: Duration,
    random: Xoshiro256PlusPlus,
}

impl PauseAndMatch {
    /// With this much patience at first.
    pub fn new(patience: Duration, seed: u64) -> Self {
        Self { patience, random: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }
}

impl Policy for PauseAndMatch {
    fn hold(&mut self, at: &At) -> Duration {
        (self.patience / 2u32.saturating_pow(at.misses.min(16))).max(SHORTEST)
    }

    fn stalled(&mut self, held: &[At]) -> usize {
        cheapest(held).unwrap_or_else(|| {
            let most = held.iter().map(|at| at.misses).max().unwrap_or(0);
            let worn: Vec<usize> = (0..held.len()).filter(|&index| held[index].misses == most).collect();
            worn[self.random.random_range(0..worn.len())]
        })
    }

    fn met(&mut self) -> Option<Side> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Moment;
    use thrille_model::{Rank, Strand};

    #[test]
    fn who_has_gone_on_goes_on() {
        let mut misses = [0u32; 4];
        let mut policy = PauseAndMatch::new(Duration::from_millis(1), 7);
        for _ in 0..50 {
            let at = |rank: u32| At {
                strand: Strand { rank: Rank(rank), index: 0 },
                live: Some(0),
                moment: Moment::Point,
                misses: misses[rank as usize],
            };
            let held: Vec<At> = (0..4).map(at).collect();
            misses[policy.stalled(&held)] += 1;
        }
        misses.sort_unstable();
        assert_eq!(misses, [0, 0, 0, 50]);
    }
}
