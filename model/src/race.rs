//! What is reported.

use crate::access::{Act, Kind, Phases, Site, StackId};
use crate::interval::Interval;
use crate::lock::Held;
use crate::place::Segment;
use crate::strand::{Pos, Rank, Strand};
use crate::sync::{Ctx, SyncEvent};
use serde::{Deserialize, Serialize};

/// One of the two accesses of a race.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// Who.
    pub strand: Strand,
    /// What.
    pub act: Act,
    /// How.
    pub kind: Kind,
    /// Which bytes, as offsets in the segment.
    pub bytes: Interval,
    /// Since when.
    pub begin: Pos,
    /// Where its own strand completed it, if it lasts beyond its call and that is known.
    pub end: Option<Pos>,
    /// In which phases it may fall.
    pub phases: Phases,
    /// The context of a one-sided operation that lasts beyond its call.
    pub ctx: Option<Ctx>,
    /// Locks held for all of its duration.
    pub locks: Vec<Held>,
    /// Where in the program.
    pub site: Site,
    /// Called from where.
    pub stack: StackId,
    /// How many executions the record stands for.
    pub times: u32,
}

/// Why the two are unordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Why {
    /// No chain of synchronisation leads from one to the other.
    Unsynchronised,
    /// The first was issued before the second began, but nothing had completed it by then.
    Incomplete,
    /// As [`Why::Incomplete`], though another context was completed in between.
    WrongContext,
    /// Two tasks of one rank: the task graph orders neither before the other.
    Tasks,
}

/// What the bytes belong to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Object {
    /// Whose memory.
    pub owner: Rank,
    /// Which part of it.
    pub segment: Segment,
    /// First byte that both sides touch, as an offset in the segment.
    pub offset: u64,
    /// The allocation it lies in: its number in order of allocation, its start, its size, the site that asked for it.
    pub allocation: Option<(u32, u64, u64, Site)>,
}

/// A pair of sites that race.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Race {
    /// The memory.
    pub object: Object,
    /// The side that comes first in the order of the analysis.
    pub first: Side,
    /// The other side.
    pub second: Side,
    /// Why they are unordered.
    pub why: Why,
    /// The synchronisation of the two strands around the two sides, in no order.
    pub around: Vec<SyncEvent>,
    /// How many unordered pairs of records of these two sites were met.
    pub seen: u64,
}
