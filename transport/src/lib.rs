//! How the detector's ranks talk: in bulk-synchronous rounds, and in no other way.
//!
//! In a round every rank hands over one [`Outbox`] (bytes for some ranks, bytes for everybody) and gets one [`Inbox`]
//! back. A round ends when every rank that is still there has spoken. A rank that is gone is silent: `None` in
//! everybody's [`Inbox::all`], from the round in which it went; all ranks see the same.
//!
//! | transport | where | for |
//! |---|---|---|
//! | [`local()`] | threads of one process | tests |
//! | [`SocketTransport`] with a [`Hub`] | processes of one machine | programs that `thrille` starts |
//! | `MpiTransport` (feature `mpi`) | processes of an MPI job, wherever they are | programs under somebody else's launcher |
//!
//! Most rounds need no word from everybody to everybody: [`Transport::deal`] sends to some and finds the least of a few numbers.
//!
//! The first two run on one state machine (`gather`), and the same rounds run on all (`tests/rounds.rs`, `tests/over_mpi.rs`).
//!
//! ```
//! use thrille_transport::{Outbox, Transport, local};
//!
//! let ranks = local(2);
//! std::thread::scope(|scope| {
//!     for mut me in ranks {
//!         scope.spawn(move || {
//!             let other = 1 - me.rank();
//!             let inbox = me.round(Outbox::new().to(other, "for you").all("for all")).unwrap();
//!             assert_eq!(inbox.from, [(other, b"for you".to_vec())]);
//!             assert_eq!(inbox.all.iter().flatten().count(), 2);
//!         });
//!     }
//! });
//! ```
#![forbid(unsafe_code)]

mod error;
mod gather;
mod local;
mod message;
#[cfg(feature = "mpi")]
mod mpi;
pub mod sockets;
pub mod staged;
mod timed;
mod token;
mod wire;

pub use error::TransportError;
pub use local::{Local, local, local_with_events};
pub use message::{Dealt, Inbox, Outbox};
#[cfg(feature = "mpi")]
pub use mpi::MpiTransport;
pub use sockets::{ClientOptions, Hub, HubError, HubEvent, HubHandle, HubOptions, Refusal, SocketTransport};
pub use timed::{Spent, Timed};
pub use token::{Token, TokenError};
#[doc(hidden)]
pub use wire::recode;
pub use wire::{DEFAULT_LIMIT, WireError};

use std::time::Duration;

/// One rank's end of the rounds.
pub trait Transport {
    /// Which rank this is, counted from 0.
    fn rank(&self) -> u32;

    /// How many ranks there were at the start.
    fn size(&self) -> u32;

    /// Speaks and listens: blocks until every rank that is still there has called this for the same round number.
    fn round(&mut self, out: Outbox) -> Result<Inbox, TransportError>;

    /// A round in which nobody speaks to everybody: messages to some, and of each of a few numbers the least that any rank has. All ranks
    /// give equally many numbers. Costs what is sent, and no list of all ranks where the transport can help it.
    fn deal(&mut self, to: Vec<(u32, Vec<u8>)>, mine: &[u64]) -> Result<Dealt, TransportError> {
        let inbox = self.round(Outbox { to, all: mine.iter().flat_map(|n| n.to_le_bytes()).collect() })?;
        let mut least = mine.to_vec();
        for said in inbox.all.iter().flatten() {
            for (least, bytes) in least.iter_mut().zip(said.as_chunks::<8>().0) {
                *least = (*least).min(u64::from_le_bytes(*bytes));
            }
        }
        Ok(Dealt { from: inbox.from, least })
    }

    /// Says a last word to the launcher and leaves; the others' rounds go on without this rank.
    ///
    /// When this returns `Ok` the launcher has the word: the process may end.
    fn leave(&mut self, last_word: &[u8]) -> Result<(), TransportError>;

    /// The others may never come: a round from now on fails when it is not over after this long. Only a transport that outlives the
    /// other ranks can tell; for others this is nothing.
    fn hurry(&mut self, _within: Duration) {}

    /// Sends a one-way note to the launcher (progress, for example); never waits for an answer.
    fn note(&mut self, bytes: &[u8]) -> Result<(), TransportError>;
}
