//! Replay of a recorded schedule: the two strands of the meeting are held, each from its recorded execution on, until the other is there.
//! Nobody else is stopped (see [`crate::LiveSite::only`]).

use super::{At, Moment, Policy, QUIET, cheapest};
use crate::candidate::Side;
use crate::schedule::Schedule;
use std::time::Duration;

/// The policy.
pub struct Replay {
    first: Option<Side>,
    own: bool,
    /// Far longer than a meeting takes: who cannot come is noticed because nobody moves.
    patience: Duration,
}

impl Replay {
    /// Of this schedule.
    pub fn new(schedule: &Schedule, patience: Duration) -> Self {
        let (a, b) = (&schedule.a, &schedule.b);
        Self { first: schedule.first, own: (a.strand, a.task) == (b.strand, b.task), patience }
    }
}

impl Policy for Replay {
    fn hold(&mut self, at: &At) -> Duration {
        // A strand that meets its own operation waits for nobody.
        if self.own { Duration::ZERO } else { self.patience / 2u32.saturating_pow(at.misses.min(12)) }
    }

    fn stalled(&mut self, held: &[At]) -> usize {
        cheapest(held).or_else(|| held.iter().position(|at| at.moment == Moment::Completing)).unwrap_or(0)
    }

    fn quiet(&self) -> Duration {
        // There is one meeting to come: it is worth some patience.
        4 * QUIET
    }

    fn met(&mut self) -> Option<Side> {
        self.first
    }
}
