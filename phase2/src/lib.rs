//! Phase 2: the program runs again, its strands are held at the two sides of a predicted race until both are there, and the result of
//! either order is compared. (UPC-Thrille, section 2.1; beyond it: operations that last, many candidates in one run, no dead pauses.)
//!
//! | module | is |
//! |---|---|
//! | [`candidate`] | what to look for: two places of the program, and which of their executions |
//! | [`protocol`] | what ranks and coordinator say to each other |
//! | [`client`] | a rank's end of that, for the injected library |
//! | [`floor`] | who is where: the state machine that holds, lets go and witnesses; no clock, no socket |
//! | [`policy`] | who is held, who goes on when nobody moves, who goes first: one file each |
//! | [`schedule`] | a confirmation as a line of text that reproduces it |
//! | [`coordinator`] | the floor behind a socket |
//! | [`campaign`] | which runs to make within a budget, and the verdicts they amount to |
//!
//! *What a confirmation is.* An access is *present* from the moment its strand stands before it until the strand is let go; a one-sided
//! operation from its issue until its strand is let into the call that completes it, or into a fence that orders it. Two present accesses of
//! different strands, or an operation that is present while its own strand comes to the other access, on common bytes, in conflict: that
//! is the race, happening. Clients ask before they go on and before they complete, so what the coordinator takes for present is present;
//! what it takes for gone may still be there. A confirmation is never wrong, and may be missed.

pub mod campaign;
pub mod candidate;
pub mod client;
pub mod coordinator;
pub mod floor;
pub mod policy;
pub mod protocol;
pub mod schedule;

pub use campaign::{Behaviour, Budget, Campaign, Engine, Finding, Outcome, Plan};
pub use candidate::{Candidate, LiveSite, Side, Spot, Wanted};
pub use coordinator::{Coordinator, CoordinatorError};
pub use floor::{Floor, Tally, Witness};
pub use policy::Choice;
pub use schedule::{Schedule, ScheduleError};
