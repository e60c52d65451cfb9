//! MPI: what each call means to the model, forwarded to the library's `PMPI_` name.
//!
//! Both `MPI_X` and `PMPI_X` are defined here: Fortran bindings call the latter. Calls that the library makes itself are its own
//! business: [`callers`] says who called.
//!
//! | module | calls |
//! |---|---|
//! | [`setup`] | init, finalize, abort |
//! | [`muster`] | the ranks tell each other who they are, at the start |
//! | [`comms`] | communicators: ids that all members agree on, ranks of the world |
//! | [`datatypes`] | which bytes a datatype touches |
//! | [`windows`] | windows come and go; which memory they are |
//! | [`elsewhere`] | windows over what is in another rank's part of a shared one |
//! | [`rma`] | put, get, accumulate and their kin |
//! | [`again`] | puts, gets and flushes that repeat |
//! | [`words`] | which accumulate a fetching one saw |
//! | [`epochs`] | fence, lock, flush |
//! | [`active`] | post, start, complete, wait |
//! | [`p2p`] | messages |
//! | [`partitioned`] | partitioned messages |
//! | [`messages`] | which receive got which message |
//! | [`requests`] | wait and test, persistent requests |
//! | [`freed`] | sends whose requests were given back |
//! | [`collectives`] | collectives, blocking and not |
//! | [`neighbours`] | neighbourhood collectives |
//! | [`files`] | files |
//! | [`local`] | calls that only work on memory of the caller |
//! | [`callbacks`] | functions of the program that the library calls |
//! | [`callers`] | whose code made a call |
//! | [`call`] | what the rows of all of them are written in |

mod active;
pub mod again;
mod call;
mod callbacks;
mod callers;
mod collectives;
mod comms;
mod datatypes;
pub mod echo;
mod elsewhere;
mod epochs;
mod files;
mod flow;
mod freed;
mod local;
mod messages;
mod muster;
mod neighbours;
mod p2p;
mod partitioned;
mod requests;
mod rma;
mod setup;
mod windows;
mod words;

pub use comms::any_thread;
pub use windows::{any_between_processes, reached_by_many};
pub use words::{between_processes, counted, help, idle};
