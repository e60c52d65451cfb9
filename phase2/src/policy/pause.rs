//! Pause and match: whoever comes to one side waits for somebody at the other.
//!
//! Patience is adaptive: each time that a strand has waited at a place in vain, it waits half as long there the next time.

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
        cheapest(held).unwrap_or_else(|| self.random.random_range(0..held.len()))
    }

    fn met(&mut self) -> Option<Side> {
        None
    }
}
