//! Who is held, who goes on when nobody moves, who goes first.

mod ordered;
mod pause;
mod pct;
mod replay;

pub use ordered::Ordered;
pub use pause::PauseAndMatch;
pub use pct::Pct;
pub use replay::Replay;

use crate::candidate::Side;
use crate::schedule::Schedule;
use std::time::Duration;
use thrille_model::Strand;

/// Calls that wait may return by themselves at any moment: a little is waited for that.
pub const QUIET: Duration = Duration::from_millis(4);

/// Where in the life of an access a strand stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Before an access that is over at once.
    Point,
    /// Before, or right behind, the issue of an operation that lasts.
    Issue,
    /// Before the call that completes operations.
    Completing,
}

/// A strand at an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// Who.
    pub strand: Strand,
    /// Which of the live places, if one.
    pub live: Option<u32>,
    /// When.
    pub moment: Moment,
    /// How often the strand has been held there in vain.
    pub misses: u32,
}

/// A way to schedule the strands that come to live places.
pub trait Policy: Send {
    /// How long a strand is held at most; zero lets it go on.
    fn hold(&mut self, at: &At) -> Duration;

    /// Nobody can move: which of the held goes on? There is at least one.
    fn stalled(&mut self, held: &[At]) -> usize;

    /// How long nothing changes before it is believed that nobody can move.
    fn quiet(&self) -> Duration {
        QUIET
    }

    /// Whether an operation may be issued before the other side is there: it is present until it is completed.
    fn lets_issue(&self) -> bool {
        true
    }

    /// Both sides are there: who goes first? None lets both go.
    fn met(&mut self) -> Option<Side>;
}

/// A policy by name, as a plan has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Hold who comes first, for about this long, until the other is there.
    PauseAndMatch {
        /// How long at first.
        patience: Duration,
        /// For choices that do not matter.
        seed: u64,
    },
    /// Random priorities.
    Pct {
        /// Where they come from.
        seed: u64,
        /// How long strands of low priority are held.
        patience: Duration,
    },
    /// A meeting that is known, in this order.
    Ordered {
        /// Who goes first.
        first: Side,
        /// How long the one waits for the other.
        patience: Duration,
    },
    /// A recorded schedule.
    Replay {
        /// Which.
        schedule: Schedule,
        /// How long the one waits for the other.
        patience: Duration,
    },
}

impl Choice {
    /// The policy itself.
    pub fn policy(self) -> Box<dyn Policy> {
        match self {
            Self::PauseAndMatch { patience, seed } => Box::new(PauseAndMatch::new(patience, seed)),
            Self::Pct { seed, patience } => Box::new(Pct::new(seed, patience)),
            Self::Ordered { first, patience } => Box::new(Ordered::new(first, patience)),
            Self::Replay { schedule, patience } => Box::new(Replay::new(&schedule, patience)),
        }
    }
}

/// Of strands that cannot move, the one that loses least by going on: an operation that is issued stays present, an access that is over
/// at once does not. `None` at equal loss.
fn cheapest(held: &[At]) -> Option<usize> {
    let issues = held.iter().position(|at| at.moment == Moment::Issue);
    let all_alike = held.iter().all(|at| at.moment == held[0].moment);
    if all_alike { None } else { issues }
}
