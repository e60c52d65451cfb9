//! What ranks and coordinator say to each other: frames behind a token.
//!
//! A connection opens with [`MAGIC`], [`VERSION`] and the run's token, in a fixed number of bytes; nothing is read further before they are
//! found right, and whoever does not know the token gets no answer. Then both sides send frames: four bytes of length, and a value in the
//! format of `thrille_model::wire`.

use crate::candidate::LiveSite;
use crate::schedule::{Late, TaskName};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use thrille_model::{Access, Site, Strand, wire};
use thrille_transport::Token;

/// Address of the coordinator; with this variable a process takes part in a phase-2 run. The token is that of the run.
pub const ENV_COORDINATOR: &str = "THRILLE_CONFIRM";

/// Set if phase 1 looked at some of the loads and stores only: a word of [`Calls`].
pub const ENV_SAMPLED: &str = "THRILLE_CONFIRM_SAMPLED";

/// In which copy of a function that is there twice its live calls are expected, where phase 1 sampled: it made them in either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// In the plain one.
    Plain,
    /// In the instrumented one.
    Instrumented,
}

impl Calls {
    /// What the ranks are told.
    pub fn word(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Instrumented => "instrumented",
        }
    }

    /// The other copy.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Plain => Self::Instrumented,
            Self::Instrumented => Self::Plain,
        }
    }
}

/// The directory for what each rank prints, in a file of its own; for launchers that would mix the ranks' outputs.
pub const ENV_OUTPUT: &str = "THRILLE_CONFIRM_OUTPUT";

/// First bytes of a connection.
pub const MAGIC: [u8; 8] = *b"THRCONF1";
/// Of this protocol.
pub const VERSION: u32 = 2;
/// Bytes of the greeting.
pub const GREETING: usize = 8 + 4 + 2 * Token::LEN;
/// No frame is longer.
pub const LIMIT: usize = 16 << 20;

/// What a rank says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Said {
    /// Who it is.
    Hello {
        /// Its number.
        rank: u32,
        /// Of how many.
        size: u32,
    },
    /// A strand begins, or ends.
    Strand(Strand, Life),
    /// A strand is at a live place and waits to be let go.
    Arrived(Box<Arrival>),
    /// A strand is about to complete, or order, these operations and waits to be let go.
    Completing(Strand, Vec<u64>),
    /// A strand that was asked to say so has done what it was let go for, and waits to be let go further.
    Passed(Strand),
    /// The strand that is to be late has come to where it waits.
    Late(Strand),
    /// What a strand does; while somebody is held.
    Doing(Strand, Doing),
    /// Its part of a window begins at this address.
    Window(u32, u64),
    /// Nothing more will come.
    Bye,
}

/// Begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Life {
    /// It begins.
    Begins,
    /// It ends.
    Ends,
}

/// What a strand that is not held does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Doing {
    /// It runs.
    Running,
    /// It is inside a call that may wait for others.
    InCall,
}

/// A strand at an access.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrival {
    /// Which of the live places.
    pub live: u32,
    /// The task that the strand is in, if in one.
    pub task: Option<TaskName>,
    /// The strand's n-th execution of it, from 1; in a task, the task's.
    pub times: u32,
    /// How often it has been held there in vain.
    pub misses: u32,
    /// The access. What lasts beyond its call has the operation's number in `operation`.
    pub access: Access,
    /// The operation's number in its rank, if it lasts beyond its call.
    pub operation: Option<u64>,
    /// Return addresses, innermost first.
    pub stack: Vec<Site>,
}

/// What the coordinator says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Told {
    /// Where to stop, and who is late.
    Live(Vec<LiveSite>, Option<Late>),
    /// Go on.
    Go {
        /// Who.
        strand: Strand,
        /// It was held in vain.
        missed: bool,
        /// Say so when it is done.
        report: bool,
    },
    /// Somebody is held: say what strands do. Or nobody is any more.
    Watch(bool),
    /// These places are of no interest any more.
    Off(Vec<u32>),
    /// Nobody is to be stopped any more.
    Over,
}

/// The greeting's bytes.
pub fn greeting(token: &Token) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(token.to_string().as_bytes());
    bytes
}

/// Whether somebody who greets like this is let in.
pub fn welcome(greeting: &[u8; GREETING], token: &Token) -> bool {
    let (head, said) = greeting.split_at(12);
    let theirs = std::str::from_utf8(said).ok().and_then(|text| text.parse::<Token>().ok());
    theirs.is_some_and(|theirs| theirs == *token) && head[..8] == MAGIC && head[8..] == VERSION.to_le_bytes()
}

/// Bytes in front of a frame's payload: how long it is.
const HEAD: usize = 4;

/// A value as a frame.
pub fn frame<T: Serialize>(value: &T) -> Vec<u8> {
    let payload = wire::encode(value);
    let mut bytes = (payload.len() as u32).to_le_bytes().to_vec();
    bytes.extend_from_slice(&payload);
    bytes
}

/// The length that a frame's head says, if it may be believed.
pub fn frame_len(head: [u8; 4]) -> io::Result<usize> {
    let len = u32::from_le_bytes(head) as usize;
    if len <= LIMIT { Ok(len) } else { Err(io::Error::new(io::ErrorKind::InvalidData, "a frame that is too long")) }
}

/// The value of a frame's payload.
pub fn value<T: DeserializeOwned>(payload: &[u8]) -> io::Result<T> {
    wire::decode(payload).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Sends a value. Where a strand is can be said without allocating: it may be inside the program's own allocator.
pub fn send<T: Serialize>(to: &mut impl Write, value: &T) -> io::Result<()> {
    let mut short = [0; HEAD + 28];
    match wire::encode_into(value, &mut short[HEAD..]) {
        Some(len) => {
            short[..HEAD].copy_from_slice(&(len as u32).to_le_bytes());
            to.write_all(&short[..HEAD + len])
        }
        None => to.write_all(&frame(value)),
    }
}

/// Waits for a value.
pub fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<T> {
    let mut head = [0; 4];
    from.read_exact(&mut head)?;
    let mut payload = vec![0; frame_len(head)?];
    from.read_exact(&mut payload)?;
    value(&payload)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use thrille_model::Rank;

    #[test]
    fn what_is_sent_is_a_frame_however_short() {
        let strand = |index| Strand { rank: Rank(u32::MAX), index };
        let said =
            [Said::Doing(strand(u32::MAX), Doing::InCall), Said::Completing(strand(1), (0..100).collect()), Said::Bye];
        for value in &said {
            let mut sent = Vec::new();
            send(&mut sent, value).unwrap();
            assert_eq!(sent, frame(value));
        }
        let mut room = [0; 28];
        assert!(wire::encode_into(&said[0], &mut room).is_some() && wire::encode_into(&said[1], &mut room).is_none());
    }

    #[test]
    fn only_the_token_lets_in() {
        let (token, other) = (Token::random().unwrap(), Token::random().unwrap());
        let mut right: [u8; GREETING] = greeting(&token).try_into().unwrap();
        assert!(welcome(&right, &token) && !welcome(&right, &other));
        right[9] = 7;
        assert!(!welcome(&right, &token), "another version");
    }

    proptest! {
        #[test]
        fn hostile_frames_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = receive::<Said>(&mut bytes.as_slice());
            let _ = receive::<Told>(&mut bytes.as_slice());
            let mut long = vec![0xff; 4];
            long.extend(&bytes);
            prop_assert!(receive::<Said>(&mut long.as_slice()).is_err());
        }
    }
}
