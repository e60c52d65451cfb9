//! Where: byte intervals in one rank's memory, named so that they are the same from run to run.

use crate::comb::{self, Comb, Teeth};
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
    /// A file, or what a system has in its place: a pipe, a connection; by a number that all processes of a machine have for it. Offsets in it, where they map
    /// it. Strands synchronise by it; what they load and store there is memory of each process.
    File(u32),
}

/// Bytes of one rank's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// Whose memory.
    pub owner: Rank,
    /// Which part of it.
    pub segment: Segment,
    /// Which range of that part.
    pub bytes: Interval,
    /// Which bytes of that range.
    pub comb: Comb,
}

impl Place {
    /// All bytes of a range.
    pub fn solid(owner: Rank, segment: Segment, bytes: Interval) -> Self {
        Self { owner, segment, bytes, comb: Comb::SOLID }
    }

    /// The range and which of its bytes.
    pub fn teeth(&self) -> Teeth {
        (self.bytes, self.comb)
    }

    /// The first byte, as an offset in the segment, that is in both.
    pub fn first_common(&self, other: &Self) -> Option<u64> {
        let here = self.owner == other.owner && self.segment == other.segment;
        if here { comb::first_common(self.teeth(), other.teeth()) } else { None }
    }

    /// Whether every byte of `other` is in `self`, as far as that is seen at once.
    pub fn covers(&self, other: &Self) -> bool {
        self.owner == other.owner && self.segment == other.segment && comb::covers(self.teeth(), other.teeth())
    }
}
