//! Events in, races out: phases, exchange, conflict first, order later.
//!
//! Every rank gathers what its strands did ([`Gathered`]) and, at agreed global barriers, makes a *cut* ([`Analysis::cut`]):
//!
//! 1. **Exchange.** Each access goes to the rank that owns the memory.
//! 2. **Conflict first** ([`screen`]). The owner looks for overlapping, conflicting, unprotected accesses whose phases meet. For a
//!    program that is ordered by its barriers there are none, and the cut is over: no order was ever looked up.
//! 3. **Order later** ([`lookup`], [`replay`]). If any owner has such a pair, it asks the ranks that can know for their logs of synchronisation events,
//!    and replays them, in an order that respects happens-before, together with the accesses in question. Two
//!    accesses race when neither is known to be done when the other begins.
//!
//! What is told of a race besides its two sides is the synchronisation around them ([`around`]).
//!
//! What is still open at a cut (an operation nobody completed, a thread that synchronised with nobody) is carried over
//! ([`owner`]); everything else is forgotten, so memory does not grow with the number of barriers.
//!
//! Sound and complete for the logs it is given, which `tests/oracle.rs` checks against `thrille_model::oracle` on random programs
//! at 1 to 7 ranks. It misses nothing but what was dropped before it got here.

pub mod around;
pub mod clock;
pub mod directory;
pub mod exchange;
pub mod known;
pub mod lookup;
pub mod owner;
pub mod replay;
pub mod screen;
pub mod sections;

pub use exchange::{Analysis, AnalysisError, Close, Cut, Gathered, Status};
