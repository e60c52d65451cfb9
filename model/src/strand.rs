//! Who acts, and when in its own time.

use serde::{Deserialize, Serialize};
use std::fmt;

/// One process of the job: an MPI rank, a PE, an image, a UPC thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Rank(pub u32);

/// One thread or task of one rank. Program order belongs to a strand, never to a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Strand {
    /// The process it runs in.
    pub rank: Rank,
    /// Its number in that process, in order of creation; 0 is the main thread. Those of tasks have a bit more: see [`Strand::task`].
    pub index: u32,
}

impl Strand {
    const TASK: u32 = 1 << 31;

    /// The strand of a thread.
    pub fn thread(rank: Rank, number: u32) -> Self {
        Self { rank, index: number }
    }

    /// The strand of a task, which is no thread's.
    pub fn task(rank: Rank, number: u32) -> Self {
        Self { rank, index: number | Self::TASK }
    }

    /// Whether it is a task's.
    pub fn is_task(self) -> bool {
        self.index & Self::TASK != 0
    }

    /// Its number among the strands of its rank.
    pub fn number(self) -> u32 {
        self.index & !Self::TASK
    }
}

/// A position in a strand. It advances with each synchronisation event and each one-sided operation, which take the new value;
/// loads and stores between two of those share the value of the earlier one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Pos(pub u64);

/// How many global barriers a strand is known to have passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Phase(pub u64);

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {}", self.0)
    }
}

impl fmt::Display for Strand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number() {
            0 => write!(f, "{}", self.rank),
            number if self.is_task() => write!(f, "{}, task {number}", self.rank),
            number => write!(f, "{}, thread {number}", self.rank),
        }
    }
}
