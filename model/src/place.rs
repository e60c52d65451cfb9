//! Where: byte intervals in one rank's memory, named so that they are the same from run to run.

use crate::interval::Interval;
use crate::strand::Rank;
use serde::{Deserialize, Serialize};

/// A part of a rank's memory with offsets of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Segment {
    /// The symmetric heap; offsets from its start.
    Heap,
    /// Static and global variables; offsets from the start of the executable's data.
    Statics,
    /// A window that ranks expose to each other, by a number that all its ranks agree on; offsets from its base. The owner turns them
    /// into addresses: windows may overlap each other and anything else.
    Window(u32),
    /// Any other memory of a process; offsets are addresses.
    Private,
    /// A block that a process's threads allocated, or the stack of one of them, by number: memory that is used again is another block.
    /// Offsets from its start.
    Block(u32),
}

/// Bytes of one rank's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// Whose memory.
    pub owner: Rank,
    /// Which part of it.
    pub segment: Segment,
    /// Which bytes of that part.
    pub bytes: Interval,
}
