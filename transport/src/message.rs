//! What a rank says and what it hears in one round.

use crate::error::TransportError;

/// What one rank says in a round: bytes for some ranks, and bytes for everybody.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outbox {
    pub(crate) to: Vec<(u32, Vec<u8>)>,
    pub(crate) all: Vec<u8>,
}

impl Outbox {
    /// An outbox that says nothing to anybody.
    pub fn new() -> Self {
        Self::default()
    }

    /// With one more message, for `rank` (which may be the sender itself).
    #[must_use]
    pub fn to(mut self, rank: u32, bytes: impl Into<Vec<u8>>) -> Self {
        self.send(rank, bytes);
        self
    }

    /// With these bytes for everybody, in place of what was there.
    #[must_use]
    pub fn all(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.say(bytes);
        self
    }

    /// Adds a message for `rank`. Several messages to one rank arrive as several, in this order.
    pub fn send(&mut self, rank: u32, bytes: impl Into<Vec<u8>>) {
        self.to.push((rank, bytes.into()));
    }

    /// Sets what everybody hears.
    pub fn say(&mut self, bytes: impl Into<Vec<u8>>) {
        self.all = bytes.into();
    }

    /// What everybody hears.
    pub fn words_to_all(&self) -> &[u8] {
        &self.all
    }

    /// That `rank`, of `size` in all, addressed no rank that never was.
    pub(crate) fn check_receivers(&self, rank: u32, size: u32) -> Result<(), TransportError> {
        match self.to.iter().find(|(to, _)| *to >= size) {
            Some(&(to, _)) => Err(TransportError::NoSuchRank { rank, to, size }),
            None => Ok(()),
        }
    }
}

/// What one rank hears in a round.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inbox {
    /// Who sent this rank what, sorted by sender; messages of one sender in the order it sent them.
    pub from: Vec<(u32, Vec<u8>)>,
    /// What each rank said to everybody, this one included; `None`: that rank is gone.
    pub all: Vec<Option<Vec<u8>>>,
}

/// What one rank gets in a round without words to everybody.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dealt {
    /// Who sent this rank what, as in [`Inbox::from`].
    pub from: Vec<(u32, Vec<u8>)>,
    /// Of each number the least that a rank gave.
    pub least: Vec<u64>,
}

impl Inbox {
    /// The ranks that took part in this round.
    pub fn present(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.all).filter_map(|(rank, said)| said.is_some().then_some(rank))
    }
}
