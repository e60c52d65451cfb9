//! The vocabulary of the detector: who did what to which bytes, when, under which locks, and when two such things race.
//!
//! | module | says |
//! |---|---|
//! | [`strand`] | who: ranks, strands, positions in a strand, phases |
//! | [`place`] | where: segments of a rank's memory and byte intervals in them |
//! | [`comb`] | equally spaced bytes of a range |
//! | [`interval`] | half-open byte ranges, never empty |
//! | [`access`] | what: kinds of access, how long an access lasts, which site made it |
//! | [`lock`] | under which locks |
//! | [`sync`] | what orders strands: tokens, words, completion |
//! | [`conflict`] | which two accesses need an order at all |
//! | [`race`] | what is reported |
//! | [`job`] | what a run leaves behind |
//! | [`verdict`] | what phase 2 has to say of a race |
//! | [`oracle`] | the definition of a race, executed naively: every engine is tested against it |
//! | [`wire`] | the one versioned byte format of all of the above |
//!
//! Nothing in here knows how events are observed or how ranks talk.

pub mod access;
pub mod comb;
pub mod conflict;
pub mod interval;
pub mod job;
pub mod lock;
pub mod oracle;
pub mod place;
pub mod race;
pub mod strand;
pub mod sync;
pub mod verdict;
pub mod wire;

pub use access::{Access, Act, Atomic, Domain, Effect, Kind, Operation, Order, Phases, Site, Span, StackId};
pub use comb::Comb;
pub use conflict::{conflict, go_together, protected};
pub use interval::{Interval, IntervalError};
pub use lock::{Held, Lock, LocksetId, Locksets, Mode};
pub use place::{Place, Segment};
pub use race::{Object, Race, Side, Why};
pub use strand::{Phase, Pos, Rank, Strand};
pub use sync::{Caller, Channel, Ctx, Flow, How, Sync, SyncEvent, Token, Word};
