//! One order of a race that is known to happen: both sides are made to meet as ever, then the one goes first and the other when it is done.

use super::{At, Policy, QUIET, cheapest};
use crate::candidate::Side;
use std::time::Duration;

/// The policy.
pub struct Ordered {
    first: Side,
    patience: Duration,
}

impl Ordered {
    /// This side first.
    pub fn new(first: Side, patience: Duration) -> Self {
        Self { first, patience }
    }
}

impl Policy for Ordered {
    fn hold(&mut self, at: &At) -> Duration {
        self.patience / 2u32.saturating_pow(at.misses.min(12))
    }

    fn stalled(&mut self, held: &[At]) -> usize {
        cheapest(held).unwrap_or(0)
    }

    fn quiet(&self) -> Duration {
        // There is one meeting to come: it is worth some patience.
        4 * QUIET
    }

    fn lets_issue(&self) -> bool {
        // What is issued may be there at once, and then nothing can be first.
        false
    }

    fn met(&mut self) -> Option<Side> {
        Some(self.first)
    }
}
