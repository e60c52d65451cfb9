//! What came of a run: who met whom, and who did not.

use crate::candidate::Side;
use crate::schedule::{Late, Schedule, Turn};
use thrille_model::Site;

/// One side of a meeting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Who, where, which execution.
    pub turn: Turn,
    /// Called from where, innermost first.
    pub stack: Vec<Site>,
}

impl Part {
    /// Its strand comes late to the phase.
    pub(super) fn late(&self) -> Late {
        Late { strand: self.turn.strand, phase: self.turn.phase }
    }
}

/// How the two were there at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// Each strand stood before its access.
    BothStood,
    /// This side's operation had been issued and not completed when the other strand came.
    Open(Side),
    /// The same, and the other access was of the same strand.
    OwnOpen(Side),
}

/// A race that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// Sides a and b.
    pub parts: [Part; 2],
    /// How they overlapped.
    pub overlap: Overlap,
    /// Who went first, if the policy said so.
    pub first: Option<Side>,
    /// Who came second.
    pub second: Side,
}

impl Witness {
    /// What reproduces it.
    pub fn schedule(&self, ranks: u32) -> Schedule {
        let [a, b] = self.parts.each_ref().map(|part| part.turn);
        Schedule { ranks, a, b, first: self.first, late: self.late() }
    }

    /// The strand that came second, if there are two: who is late comes later. Not the thread of a task, which may get another one.
    pub fn late(&self) -> Option<Late> {
        let [a, b] = &self.parts;
        let second = &self.parts[self.second.index()];
        (a.turn.strand != b.turn.strand && second.turn.task.is_none()).then(|| second.late())
    }
}

/// What came of a candidate in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How often each side came.
    pub arrived: [u32; 2],
    /// How often one strand of each side executed its place.
    pub most: [u32; 2],
    /// How often each side came to bytes that the other had been at, and was gone from.
    pub late: [u32; 2],
    /// Those of them before which the other had been held until nobody could move: this side waited for it inside a call.
    pub in_call: [u32; 2],
    /// Who was gone the last time that the other came, and who came.
    pub apart: Option<[Late; 2]>,
}
