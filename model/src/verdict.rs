//! What phase 2 has to say of a predicted race.

use crate::access::{Act, Site};
use crate::strand::Strand;
use serde::{Deserialize, Serialize};

/// A race as phase 2 knows it: the pairs of places that the report shows as one.
pub type Places = Vec<((Site, Act), (Site, Act))>;

/// What came of looking for a race.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Which race.
    pub places: Places,
    /// How often the program was run with these places live.
    pub tries: u32,
    /// What came of it.
    pub verdict: Verdict,
}

/// The verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// It happened.
    Confirmed {
        /// Whether it matters.
        matters: Matters,
        /// How the two were there at the same time.
        meeting: Meeting,
        /// The text that reproduces it.
        schedule: String,
    },
    /// It was not made to happen.
    NotConfirmed(Obstacle),
}

/// The moment at which both sides were there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meeting {
    /// Whether an operation was under way, and whose: 0 is side a, 1 is side b. None if both strands stood before their accesses.
    pub under_way: Option<u8>,
    /// Who was at side a and at side b.
    pub strands: [Strand; 2],
    /// Return addresses of the calls that led there, innermost first.
    pub stacks: [Vec<Site>; 2],
}

/// Whether a race that happened makes a difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Matters {
    /// What the program says or does depends on who is first.
    ChangesResult(String),
    /// It was the same in either order.
    NoDifference,
    /// In one of the orders the program fails or does not end.
    CrashesOrHangs(String),
    /// The two orders were not compared, or could not be.
    NotCompared(String),
}

/// Why a race was not made to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Obstacle {
    /// These sides (a, b) never came to their places.
    NeverCame([bool; 2]),
    /// Both came, one always after the other had gone: a word that is polled by hand orders them. The number is that of the race on the word.
    PolledFlag(usize),
    /// Both came, one always after the other had gone.
    AlwaysOrdered,
    /// Both came; while one was held, the other waited inside a call.
    WaitedInCall,
    /// Both came, never to the same bytes.
    OtherBytes,
    /// There was no time to look for it, or not enough.
    Budget,
}
