//! Ranks that are processes of one machine: a star of loopback connections around a [`Hub`] in the launcher.
//!
//! | part | where it runs | state it owns |
//! |---|---|---|
//! | [`SocketTransport`] | in the program under test, blocking, no thread | its socket, its round number |
//! | `connection` | a task of the hub for each connection | the handshake; the outbox being received |
//! | `router` | one task of the hub | who sits where, the round: alone changes them, fed through one channel |
//! | [`Hub`] | the launcher's handle on the thread that runs those tasks | |
//!
//! No deadlock with big messages: the hub always reads from every connection, whatever it still has to write; and it
//! writes to a rank only after that rank has said all of its outbox and listens.
//!
//! How a rank ends: [`HubEvent::Left`] if it said so; otherwise [`HubEvent::Lost`], when its connection ends, when the
//! launcher says so ([`Hub::lose`]), or when it breaks the protocol (after a [`HubEvent::Refused`]). Each rank that is
//! told of as joined ends in exactly one of the two, unless the hub is shut down first, and never comes back.
//!
//! Who is let in: the token is compared before the claim to a rank is so much as read. A stranger gets no answer; one
//! that knows the token is told why it is refused.

mod client;
mod connection;
mod hub;
mod router;

use std::net::SocketAddr;

pub use client::{ClientOptions, SocketTransport};
pub use hub::{Hub, HubError, HubHandle, HubOptions};

use crate::wire::WireError;

/// What the launcher hears.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HubEvent {
    /// A rank has connected.
    Joined(u32),
    /// A rank sent a note.
    Note(u32, Vec<u8>),
    /// A rank left, with its last word.
    Left(u32, Vec<u8>),
    /// A rank is gone without having left.
    Lost(u32),
    /// A connection was turned away, or cut off.
    Refused(SocketAddr, Refusal),
}

/// Why a connection was turned away, or cut off.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It does not speak this protocol.
    #[error("it is not a thrille rank; something else connects to this port")]
    NotOurs,
    /// It speaks another version of it.
    #[error("it speaks version {theirs} of the protocol, the hub {ours}; use one version of `thrille` throughout")]
    WrongVersion {
        /// The client's version.
        theirs: u32,
        /// The hub's version.
        ours: u32,
    },
    /// It does not know the token.
    #[error("it does not know this run's token; it belongs to another run, or to another user")]
    WrongToken,
    /// It hung up, or said nothing for too long, in the handshake.
    #[error("it did not finish the handshake")]
    NoHandshake,
    /// Its rank is not below the number of ranks.
    #[error("there is no rank {rank} among {size}; ranks count from 0")]
    NoSuchRank {
        /// The rank claimed, or addressed.
        rank: u32,
        /// How many there are.
        size: u32,
    },
    /// It has another idea of the number of ranks.
    #[error("it counts {theirs} ranks, the hub {ours}; pass the launcher's number on unchanged")]
    WrongSize {
        /// The client's number.
        theirs: u32,
        /// The hub's number.
        ours: u32,
    },
    /// Its rank is connected already.
    #[error("rank {0} is taken; only one process can be that rank")]
    Taken(u32),
    /// Its rank has left or was lost.
    #[error("rank {0} is gone and cannot come back; start the run anew")]
    Gone(u32),
    /// It spoke for a round that is not the current one, or twice.
    #[error("rank {rank} spoke for round {said} in round {current}; every rank has to make every round's call once")]
    OutOfStep {
        /// The rank.
        rank: u32,
        /// The round it spoke for.
        said: u64,
        /// The hub's round.
        current: u64,
    },
    /// It sent more in one round than is allowed.
    #[error("it sent more than {0} bytes in one round; spread them over several, or raise the hub's limit")]
    TooMuch(u32),
    /// It sent what is no frame.
    #[error("it sent {0}")]
    Wire(#[from] WireError),
}
