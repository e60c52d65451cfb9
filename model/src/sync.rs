//! What orders strands. Every synchronisation of every programming model is told in these few words.
//!
//! * A **token** is released by some strands and acquired by others: an acquire comes after *all* releases of its token. Barriers,
//!   collectives, messages, thread creation and joining are tokens. An all-to-all collective is a release followed by an acquire by
//!   everybody; a broadcast is a release by the root and an acquire by the others.
//! * A **word** is memory whose changes are counted. An observation of version *v* comes after the update that made *v*, and after
//!   those that *v* still contains: back to the last one that set the word instead of modifying it (the release sequence of C11). A one-sided
//!   operation that makes such an update is done for who has seen it, as far as it is the word's own bytes that it writes.
//! * A **critical section** orders nothing by itself, but what flows through it does: when an access in a later section of a lock, or by who
//!   later shares that lock, conflicts with a write in an earlier section, the later one comes after the end of the earlier section. So data handed over by a flag that a
//!   lock protects is ordered, and two sections that have nothing to do with each other are not. The same flows from who shares a lock to who has it alone
//!   later, as far as it was written in the phase that its strand is still in: a lock may be shared for as long as the program runs.
//! * What is **handed over** with a token is done for who acquires that: the buffer of a message whose sender does not wait for it. Who only peeks at
//!   the token comes after its releases and finds nothing done.
//! * A **channel** is the way of one-sided operations of one context from one rank to another. A fence puts what was issued before it
//!   on that way ahead of what is issued after it, without completing either.

use crate::lock::{Lock, Mode};
use crate::place::{Place, Segment};
use crate::strand::{Phase, Pos, Rank, Strand};
use serde::{Deserialize, Serialize};

/// A communication context of one rank; 0 is the default one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Ctx(pub u32);

impl Ctx {
    /// The context whose completion frees the near ends of the operations that this one completes, where the two differ: as in MPI, whose
    /// contexts come in pairs of numbers.
    pub fn near(self) -> Option<Self> {
        (self.0 % 2 == 1).then(|| Self(self.0 - 1))
    }
}

/// The way from an origin to a target that fences order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Channel {
    /// Who issues.
    pub origin: Rank,
    /// On which context.
    pub ctx: Ctx,
    /// To whose memory.
    pub target: Rank,
}

/// What an acquire and its releases have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Token {
    /// The n-th global barrier; after it comes that phase.
    Phase(Phase),
    /// A strand's creation: released by its parent, acquired by itself.
    Fork(Strand),
    /// A strand's end: released by itself, acquired by who joins it.
    Exit(Strand),
    /// The n-th collective of a group of ranks.
    Collective {
        /// The group, by an id equal on all members.
        group: u64,
        /// The n-th collective on it.
        seq: u64,
    },
    /// The n-th message of its kind from one rank to another.
    Message {
        /// The communicator or window, by an id equal on all members.
        group: u64,
        /// Who sends.
        from: Rank,
        /// Who receives.
        to: Rank,
        /// With which tag.
        tag: i64,
        /// The n-th of these.
        seq: u64,
    },
    /// From the end of a critical section to an access in a later one that conflicts with it.
    Flow(Flow),
    /// From the end of the n-th critical section of a lock to the next, where loads and stores are not observed: what flows through the
    /// lock cannot be seen there, so all that may have is taken to have.
    Handover {
        /// The lock.
        lock: Lock,
        /// How it was held: alone, or by those who shared it before the next one had it alone.
        mode: Mode,
        /// The section that ended, or that those came after.
        number: u64,
    },
    /// The n-th release fence of a strand (C11): who sees what the strand stores after it comes after what was before it.
    Fence {
        /// Whose fence.
        strand: Strand,
        /// Which one.
        number: u64,
    },
    /// The n-th round of a barrier among the strands of one rank.
    Local {
        /// The process it is in.
        rank: Rank,
        /// Where the barrier object is.
        address: u64,
        /// Which round.
        round: u64,
    },
}

/// Something flowed through a lock: an access at `to` conflicts with one in the critical section that ended at `from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Flow {
    /// The end of the earlier section.
    pub from: (Strand, Pos),
    /// The access in the later one.
    pub to: (Strand, Pos),
}

/// Memory that strands synchronise by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Word {
    /// Whose memory.
    pub owner: Rank,
    /// Which part of it.
    pub segment: Segment,
    /// Its first byte.
    pub offset: u64,
}

impl Word {
    /// How long it is.
    pub const BYTES: u64 = 8;

    /// Whether a place is part of it.
    pub fn holds(&self, place: &Place) -> bool {
        (place.owner, place.segment) == (self.owner, self.segment)
            && place.bytes.lo() >= self.offset
            && place.bytes.hi() <= self.offset.saturating_add(Self::BYTES)
    }
}

/// How an update changes a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum How {
    /// Whatever was there is gone.
    Set,
    /// The new value is made from the old one.
    Modify,
}

/// One synchronisation event of a strand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Sync {
    /// Everything before comes before who acquires the token.
    Release(Token),
    /// Everything after comes after all releases of the token.
    Acquire(Token),
    /// A word gets its `version`-th value.
    Update {
        /// The word.
        word: Word,
        /// Which change of it this is.
        version: u64,
        /// What it leaves of the changes before.
        how: How,
        /// The channel it travels by, if it is the far end of a one-sided operation.
        via: Option<Channel>,
        /// Whether it is the signal of a put-with-signal issued at the same position, which comes after that put's data.
        signals: bool,
    },
    /// A strand saw a word's `version`-th value and waited for it, or fetched it atomically.
    Observe {
        /// The word.
        word: Word,
        /// Which change of it was seen; 0 is the value before all changes.
        version: u64,
    },
    /// What this rank issued on this context, as far as that comes before, is complete.
    Quiet(Ctx),
    /// The n-th time that a lock which only one can hold is taken.
    Lock(Lock, u64),
    /// That lock is released again.
    Unlock(Lock, u64),
    /// The same lock is taken together with others, after the n-th time that one had it alone.
    Share(Lock, u64),
    /// Who shared it gives it back.
    Unshare {
        /// The lock.
        lock: Lock,
        /// How often one had had it alone before.
        number: u64,
        /// The phase the strand is in: what it wrote in earlier ones does not flow.
        phase: Phase,
    },
    /// What this rank issued on this context, as far as that comes before, arrives before what it issues there after, channel by
    /// channel.
    Fence(Ctx),
    /// What this rank issued on this context is done for who acquires the token.
    Handed(Ctx, Token),
    /// Everything after comes after all releases of the token, which somebody is still to acquire.
    Peek(Token),
}

/// Where the program called for something, in the table of the rank that it is in; 0 is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Caller(pub u32);

/// A synchronisation event with its place in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncEvent {
    /// Who.
    pub strand: Strand,
    /// When: what has this position comes after the event, what has a smaller one before.
    pub pos: Pos,
    /// What.
    pub sync: Sync,
    /// Where in the program.
    pub at: Caller,
}
