//! What goes over a socket: one fixed greeting, then frames. All numbers are little-endian.
//!
//! ```text
//! greeting  magic [8], version u32 | token [32] | rank u32, size u32        rank to hub, once
//! frame     length u32, kind u8, payload [length]                           both ways
//! ```
//!
//! | frame | direction | payload |
//! |---|---|---|
//! | `To` | to hub | receiver u32, bytes |
//! | `Round` | to hub | round u64, bytes for all; ends the outbox |
//! | `Note`, `Leave` | to hub | bytes |
//! | `Welcome` | to rank | limit u32 |
//! | `Said`, `From` | to rank | speaker u32, bytes |
//! | `Turn` | to rank | round u64; ends the inbox |
//! | `Alive` | to rank | nothing: the hub waits for other ranks |
//! | `Refused` | to rank | reason, text |
//! | `Farewell` | to rank | nothing: answers `Leave`, or the hub shuts down |
//!
//! An outbox or inbox is a run of frames, not one frame: no message is copied to be packed, and the inbox of a rank to
//! which many send much needs no higher limit than their outboxes. The limit of the hub bounds a frame's payload, and all
//! the frames of one rank's outbox together.
//!
//! The decoder is fed bytes as they arrive and keeps at most twice what it was fed, whatever the length field claims.

use crate::token::Token;

/// The first bytes of a connection.
pub const MAGIC: [u8; 8] = *b"THRILLE\n";
/// Goes up with every change of this file's format.
pub const VERSION: u32 = 1;
/// How many bytes a rank may send in one round, unless the hub is configured otherwise: 1 GiB.
pub const DEFAULT_LIMIT: u32 = 1 << 30;

/// Length of [`opening`].
pub const OPENING_LEN: usize = 12;
/// Length of a claim: rank and size.
pub const CLAIM_LEN: usize = 8;
const GREETING_LEN: usize = OPENING_LEN + Token::LEN + CLAIM_LEN;
const HEAD_LEN: usize = 5;

/// Bytes that are not this protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// A length field beyond the limit.
    #[error("a frame of {length} bytes, where {limit} are allowed")]
    TooLong {
        /// The length claimed.
        length: u32,
        /// The limit.
        limit: u32,
    },
    /// No such kind of frame.
    #[error("a frame of the unknown kind {0}")]
    UnknownKind(u8),
    /// A frame too short or too long for its kind.
    #[error("a frame of kind {0} with a payload of the wrong length")]
    WrongLength(u8),
    /// A frame that makes sense, but not here.
    #[error("a frame of kind {0} where none was expected")]
    Unexpected(u8),
}

/// What a rank claims to be, after it has shown the token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    /// Its rank.
    pub rank: u32,
    /// How many ranks it thinks there are.
    pub size: u32,
}

impl Claim {
    /// Any eight bytes are a claim; whether it is granted is another matter.
    pub fn decode(bytes: [u8; CLAIM_LEN]) -> Self {
        let both = u64::from_le_bytes(bytes);
        Self { rank: both as u32, size: (both >> 32) as u32 }
    }
}

/// What a rank sends first.
pub fn greeting(token: &Token, claim: Claim) -> [u8; GREETING_LEN] {
    let mut bytes = [0; GREETING_LEN];
    let (opening, rest) = bytes.split_at_mut(OPENING_LEN);
    let (secret, seat) = rest.split_at_mut(Token::LEN);
    opening[..8].copy_from_slice(&MAGIC);
    opening[8..].copy_from_slice(&VERSION.to_le_bytes());
    secret.copy_from_slice(token.bytes());
    seat[..4].copy_from_slice(&claim.rank.to_le_bytes());
    seat[4..].copy_from_slice(&claim.size.to_le_bytes());
    bytes
}

/// The version that an opening speaks; `None`: it is not ours at all.
pub fn opening(bytes: [u8; OPENING_LEN]) -> Option<u32> {
    let (magic, version) = bytes.split_first_chunk::<8>()?;
    let version = version.first_chunk::<4>()?;
    (*magic == MAGIC).then_some(u32::from_le_bytes(*version))
}

/// One frame; `B` is `&[u8]` on the way out and `Vec<u8>` on the way in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame<B> {
    /// A message for one rank.
    To { rank: u32, bytes: B },
    /// What everybody shall hear; the outbox is complete.
    Round { round: u64, all: B },
    /// For the launcher.
    Note(B),
    /// For the launcher; the rank goes.
    Leave(B),
    /// The rank has its seat.
    Welcome { limit: u32 },
    /// What a rank said to everybody.
    Said { rank: u32, bytes: B },
    /// What a rank sent to this one.
    From { rank: u32, bytes: B },
    /// The inbox is complete.
    Turn { round: u64 },
    /// The hub still waits for somebody.
    Alive,
    /// The hub hangs up, and why.
    Refused(B),
    /// The hub hangs up, all being well.
    Farewell,
}

impl<B: AsRef<[u8]>> Frame<B> {
    /// The number that stands for this kind of frame.
    pub fn kind(&self) -> u8 {
        match self {
            Self::To { .. } => 1,
            Self::Round { .. } => 2,
            Self::Note(_) => 3,
            Self::Leave(_) => 4,
            Self::Welcome { .. } => 16,
            Self::Said { .. } => 17,
            Self::From { .. } => 18,
            Self::Turn { .. } => 19,
            Self::Alive => 20,
            Self::Refused(_) => 21,
            Self::Farewell => 22,
        }
    }

    /// The last part of the payload, of any length.
    pub fn body(&self) -> &[u8] {
        match self {
            Self::To { bytes, .. }
            | Self::Said { bytes, .. }
            | Self::From { bytes, .. }
            | Self::Round { all: bytes, .. }
            | Self::Note(bytes)
            | Self::Leave(bytes)
            | Self::Refused(bytes) => bytes.as_ref(),
            Self::Welcome { .. } | Self::Turn { .. } | Self::Alive | Self::Farewell => &[],
        }
    }

    fn field_len(&self) -> usize {
        match self {
            Self::To { .. } | Self::Said { .. } | Self::From { .. } | Self::Welcome { .. } => 4,
            Self::Round { .. } | Self::Turn { .. } => 8,
            Self::Note(_) | Self::Leave(_) | Self::Alive | Self::Refused(_) | Self::Farewell => 0,
        }
    }

    /// How many bytes the whole frame takes.
    pub fn wire_len(&self) -> u64 {
        (HEAD_LEN + self.field_len() + self.body().len()) as u64
    }

    /// Appends all but the body. The caller has checked [`Frame::wire_len`] against a limit, which is a `u32`.
    pub fn encode_head(&self, out: &mut Vec<u8>) {
        let length = self.field_len() + self.body().len();
        out.extend_from_slice(&(length as u32).to_le_bytes());
        out.push(self.kind());
        match self {
            Self::To { rank: word, .. }
            | Self::Said { rank: word, .. }
            | Self::From { rank: word, .. }
            | Self::Welcome { limit: word } => out.extend_from_slice(&word.to_le_bytes()),
            Self::Round { round, .. } | Self::Turn { round } => out.extend_from_slice(&round.to_le_bytes()),
            Self::Note(_) | Self::Leave(_) | Self::Alive | Self::Refused(_) | Self::Farewell => {}
        }
    }

    /// Appends the whole frame.
    pub fn encode(&self, out: &mut Vec<u8>) {
        self.encode_head(out);
        out.extend_from_slice(self.body());
    }
}

impl Frame<Vec<u8>> {
    fn parse(kind: u8, payload: Vec<u8>) -> Result<Self, WireError> {
        let wrong = || WireError::WrongLength(kind);
        let word = |payload: Vec<u8>| cut(payload).map(|(b, rest)| (u32::from_le_bytes(b), rest)).ok_or_else(wrong);
        let long = |payload: Vec<u8>| cut(payload).map(|(b, rest)| (u64::from_le_bytes(b), rest)).ok_or_else(wrong);
        let (frame, rest) = match kind {
            1 => word(payload).map(|(rank, bytes)| (Self::To { rank, bytes }, vec![]))?,
            2 => long(payload).map(|(round, all)| (Self::Round { round, all }, vec![]))?,
            3 => (Self::Note(payload), vec![]),
            4 => (Self::Leave(payload), vec![]),
            16 => word(payload).map(|(limit, rest)| (Self::Welcome { limit }, rest))?,
            17 => word(payload).map(|(rank, bytes)| (Self::Said { rank, bytes }, vec![]))?,
            18 => word(payload).map(|(rank, bytes)| (Self::From { rank, bytes }, vec![]))?,
            19 => long(payload).map(|(round, rest)| (Self::Turn { round }, rest))?,
            20 => (Self::Alive, payload),
            21 => (Self::Refused(payload), vec![]),
            22 => (Self::Farewell, payload),
            _ => return Err(WireError::UnknownKind(kind)),
        };
        if rest.is_empty() { Ok(frame) } else { Err(wrong()) }
    }
}

/// Cuts the first `N` bytes off.
fn cut<const N: usize>(mut payload: Vec<u8>) -> Option<([u8; N], Vec<u8>)> {
    let first = *payload.first_chunk::<N>()?;
    payload.drain(..N);
    Some((first, payload))
}

/// Puts frames together from bytes that arrive in pieces. After an error it is of no more use.
#[derive(Debug)]
pub struct Decoder {
    limit: u32,
    head: Vec<u8>,
    payload: Vec<u8>,
}

impl Decoder {
    /// A decoder that refuses a payload of more than `limit` bytes.
    pub fn new(limit: u32) -> Self {
        Self { limit, head: Vec::with_capacity(HEAD_LEN), payload: Vec::new() }
    }

    /// Takes bytes off the front of `input`, up to the end of a frame or of the input.
    pub fn push(&mut self, input: &mut &[u8]) -> Result<Option<Frame<Vec<u8>>>, WireError> {
        take(&mut self.head, HEAD_LEN, input);
        let Some(&[a, b, c, d, kind]) = self.head.first_chunk::<HEAD_LEN>() else { return Ok(None) };
        let length = u32::from_le_bytes([a, b, c, d]);
        if length > self.limit {
            return Err(WireError::TooLong { length, limit: self.limit });
        }
        take(&mut self.payload, length as usize, input);
        if self.payload.len() < length as usize {
            return Ok(None);
        }
        self.head.clear();
        Frame::parse(kind, std::mem::take(&mut self.payload)).map(Some)
    }
}

/// Decodes frames from bytes that arrive in pieces of `piece`, and encodes them again: for the fuzzer, which knows no frames.
pub fn recode(bytes: &[u8], piece: usize, limit: u32) -> (Vec<u8>, Option<WireError>) {
    let (mut decoder, mut out) = (Decoder::new(limit), Vec::new());
    for mut input in bytes.chunks(piece.max(1)) {
        while !input.is_empty() {
            match decoder.push(&mut input) {
                Ok(Some(frame)) => frame.encode(&mut out),
                Ok(None) => {}
                Err(error) => return (out, Some(error)),
            }
        }
    }
    (out, None)
}

/// Moves bytes from `input` until `into` holds `length`, or the input ends.
fn take(into: &mut Vec<u8>, length: usize, input: &mut &[u8]) {
    let missing = length.saturating_sub(into.len()).min(input.len());
    let (taken, rest) = input.split_at(missing);
    into.extend_from_slice(taken);
    *input = rest;
}

#[cfg(test)]
mod tests;
