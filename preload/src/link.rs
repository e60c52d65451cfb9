//! How this rank talks to the others: through the hub of the `thrille` that started it, or over MPI itself under somebody else's launcher.

use std::time::Duration;
#[cfg(feature = "mpi")]
use thrille_transport::MpiTransport;
use thrille_transport::{Dealt, Inbox, Outbox, SocketTransport, Transport, TransportError};

/// One of the two.
#[allow(clippy::large_enum_variant, reason = "there is one in a process")]
pub enum Link {
    /// A socket.
    Hub(SocketTransport),
    /// A communicator.
    #[cfg(feature = "mpi")]
    Mpi(MpiTransport),
}

// SAFETY: a communicator is a handle of a library that lets any thread use it, one at a time: one thread has the link at a time, and rounds take place inside calls
// that the program itself makes at that moment, unless the library lets threads call it at any time ([`Link::any_thread`]).
#[cfg(feature = "mpi")]
unsafe impl Send for Link {}

impl Link {
    /// Whether a thread of the detector's own may talk while the program goes on.
    pub fn any_thread(&self) -> bool {
        match self {
            Self::Hub(_) => true,
            #[cfg(feature = "mpi")]
            Self::Mpi(_) => crate::mpi::any_thread(),
        }
    }

    fn inner(&mut self) -> &mut dyn Transport {
        match self {
            Self::Hub(link) => link,
            #[cfg(feature = "mpi")]
            Self::Mpi(link) => link,
        }
    }
}

impl Transport for Link {
    fn rank(&self) -> u32 {
        match self {
            Self::Hub(link) => link.rank(),
            #[cfg(feature = "mpi")]
            Self::Mpi(link) => link.rank(),
        }
    }

    fn size(&self) -> u32 {
        match self {
            Self::Hub(link) => link.size(),
            #[cfg(feature = "mpi")]
            Self::Mpi(link) => link.size(),
        }
    }

    fn round(&mut self, out: Outbox) -> Result<Inbox, TransportError> {
        self.inner().round(out)
    }

    fn deal(&mut self, to: Vec<(u32, Vec<u8>)>, mine: &[u64]) -> Result<Dealt, TransportError> {
        self.inner().deal(to, mine)
    }

    fn leave(&mut self, last_word: &[u8]) -> Result<(), TransportError> {
        self.inner().leave(last_word)
    }

    fn hurry(&mut self, within: Duration) {
        self.inner().hurry(within);
    }

    fn note(&mut self, bytes: &[u8]) -> Result<(), TransportError> {
        self.inner().note(bytes)
    }
}
