//! What can go wrong at a rank's end. Each message names the rank, the address and what to do about it.

use std::{io, net::SocketAddr, time::Duration};

use crate::wire::WireError;

/// Why a rank could not connect, speak, note or leave.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// No connection to the hub could be made.
    #[error(
        "rank {rank} cannot connect to the hub at {addr}: {source}; check that the `thrille` that started it still runs"
    )]
    Connect {
        /// This rank.
        rank: u32,
        /// The hub's address.
        addr: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The hub hung up before it welcomed this rank, without a reason: it gives none to strangers.
    #[error(
        "the hub at {addr} dropped rank {rank} in the handshake: the token or the protocol version is another; start \
         the program anew with the same `thrille` that built it"
    )]
    Dropped {
        /// This rank.
        rank: u32,
        /// The hub's address.
        addr: SocketAddr,
    },
    /// The hub knows this rank's token and still will not have it.
    #[error("the hub at {addr} refused rank {rank}: {why}")]
    Refused {
        /// This rank.
        rank: u32,
        /// The hub's address.
        addr: SocketAddr,
        /// What the hub said.
        why: String,
    },
    /// The hub was shut down in an orderly way.
    #[error("the hub at {addr} was shut down before rank {rank} left; let the launcher wait for every rank to leave")]
    ShutDown {
        /// This rank.
        rank: u32,
        /// The hub's address.
        addr: SocketAddr,
    },
    /// The connection ended, or broke, without a word.
    #[error(
        "rank {rank} lost the hub at {addr} while {doing}: {source}; the `thrille` that started it was killed, or gave \
         this rank up: see its own output"
    )]
    Lost {
        /// This rank.
        rank: u32,
        /// The hub's address.
        addr: SocketAddr,
        /// What this rank was doing.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The hub gave no sign of life. (Other ranks that take their time are not a reason: a hub that waits for them says so.)
    #[error(
        "the hub at {addr} was silent for {after:?} while rank {rank} was {doing}; see whether `thrille` is stopped, or \
         raise the silence timeout"
    )]
    Silent {
        /// This rank.
        rank: u32,
        /// The hub's address.
        addr: SocketAddr,
        /// What this rank was doing.
        doing: &'static str,
        /// How long it waited.
        after: Duration,
    },
    /// This rank was in a hurry, and the others did not come.
    #[error(
        "rank {rank} ended early, and the other ranks did not come to a last exchange within {after:?}; what was \
         observed since the one before is not in the report: let every rank finalise its library"
    )]
    Alone {
        /// This rank.
        rank: u32,
        /// How long it waited.
        after: Duration,
    },
    /// The hub sent what this version does not understand.
    #[error("rank {rank} does not understand the hub at {addr}: {source}; use one version of `thrille` throughout")]
    Wire {
        /// This rank.
        rank: u32,
        /// The hub's address.
        addr: SocketAddr,
        /// What is wrong with it.
        source: WireError,
    },
    /// A message was addressed to a rank that never was.
    #[error("rank {rank} addressed rank {to}, but there are only {size}: ranks count from 0")]
    NoSuchRank {
        /// This rank.
        rank: u32,
        /// The rank it addressed.
        to: u32,
        /// How many there are.
        size: u32,
    },
    /// More bytes than the hub takes. Nothing was sent: the same call may be made again with less.
    #[error("rank {rank} would send {bytes} bytes at once, the limit is {limit}; spread them over several rounds")]
    TooLarge {
        /// This rank.
        rank: u32,
        /// What was to be sent, framing included.
        bytes: u64,
        /// The hub's limit.
        limit: u32,
    },
    /// This rank left before.
    #[error("rank {rank} has left; it cannot speak any more")]
    Left {
        /// This rank.
        rank: u32,
    },
    /// An earlier call failed.
    #[error("rank {rank} has no hub any more: an earlier call failed, and its error said why")]
    Broken {
        /// This rank.
        rank: u32,
    },
    /// The caller is a forked child of the process that connected.
    #[error(
        "rank {rank} is process {owner}, not its forked child {child}; only the process that connected may use the \
         connection"
    )]
    Forked {
        /// This rank.
        rank: u32,
        /// The process that connected.
        owner: u32,
        /// The process that called.
        child: u32,
    },
}
