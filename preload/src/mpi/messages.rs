//! Which receive got which message, without a word added to any of them.
//!
//! Messages with the same communicator, sender, receiver and tag arrive in the order they were sent: the n-th one that is received is the
//! n-th that was sent. Receives take messages in the order they are posted, so a receive that names source and tag has its number when
//! it is posted, unless an earlier one with a wildcard may still take the message. Those are numbered when they complete: earlier
//! ones first, which by then have been matched, so that the library can be asked what they got.

use crate::confirm::CONFIRMING;
use crate::mpi::call::{SUCCESS, Shared};
use crate::mpi::comms;
use mpi_sys::{MPI_Comm, MPI_Request, MPI_Status};
use rustc_hash::FxHashMap;
use std::ffi::c_int;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use thrille_model::{Rank, Token};

/// Sender or receiver and tag, on a communicator.
type Line = (u64, Rank, c_int);

/// The receipt of a synchronous send goes the other way, with a tag that no message has.
const RECEIPT: i64 = 1 << 40;

/// A receive that may take what another one posted later is about.
#[derive(Debug)]
struct Deferred {
    ticket: u64,
    request: Option<MPI_Request>,
    comm: MPI_Comm,
    source: Option<Rank>,
    tag: Option<c_int>,
    token: Option<Token>,
}

#[derive(Default)]
struct Counts {
    sent: FxHashMap<Line, u64>,
    received: FxHashMap<Line, u64>,
    deferred: FxHashMap<u64, Vec<Deferred>>,
    tickets: u64,
}

// SAFETY: handles of the library may be used by any thread.
unsafe impl Send for Counts {}

static COUNTS: Shared<Counts> = Shared::new();

/// Held from the numbering of a message until the library knows of it, where threads may call side by side: those of one line come to both in the same order.
/// Not in a run that confirms races, which holds threads in between.
pub fn in_turn() -> Option<MutexGuard<'static, ()>> {
    static TURN: Mutex<()> = Mutex::new(());
    let side_by_side = comms::any_thread() && !CONFIRMING.load(Ordering::Relaxed);
    side_by_side.then(|| TURN.lock().unwrap_or_else(PoisonError::into_inner))
}

/// What a receive asks for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// On which communicator.
    pub comm: MPI_Comm,
    /// Its id.
    pub id: u64,
    /// From whom, if that matters.
    pub source: Option<Rank>,
    /// With which tag, if that matters.
    pub tag: Option<c_int>,
    /// Who receives.
    pub me: Rank,
}

impl Wanted {
    /// Whether only messages of one line will do.
    pub fn is_of_one_line(&self) -> bool {
        self.source.is_some() && self.tag.is_some()
    }
}

/// A posted receive.
#[derive(Clone, Copy, Debug)]
pub enum Posted {
    /// It is known which message it gets.
    Numbered(Token),
    /// It shows when it completes.
    Later(u64, Wanted),
}

impl Posted {
    /// The message it gets, if that is known.
    pub fn number(self) -> Option<Token> {
        if let Self::Numbered(token) = self { Some(token) } else { None }
    }
}

/// The next message on a line.
pub fn send(id: u64, from: Rank, to: Rank, tag: c_int) -> Token {
    COUNTS.with(|counts| {
        let seq = counts.sent.entry((id, to, tag)).or_default();
        *seq += 1;
        Token::Message { group: id, from, to, tag: i64::from(tag), seq: *seq }
    })
}

/// A message was not sent after all: its number goes to the next one.
pub fn take_back(message: Token) {
    let Token::Message { group, to, tag, seq, .. } = message else { return };
    COUNTS.with(|counts| {
        if let Some(last) = counts.sent.get_mut(&(group, to, tag as c_int)).filter(|last| **last == seq) {
            *last -= 1;
        }
    });
}

/// What the receiver of a synchronous message gives back for it.
pub fn receipt(message: Token) -> Option<Token> {
    match message {
        Token::Message { group, from, to, tag, seq } => {
            Some(Token::Message { group, from: to, to: from, tag: tag | RECEIPT, seq })
        }
        _ => None,
    }
}

impl Counts {
    fn receive(&mut self, id: u64, from: Rank, to: Rank, tag: c_int) -> Token {
        let seq = self.received.entry((id, from, tag)).or_default();
        *seq += 1;
        Token::Message { group: id, from, to, tag: i64::from(tag), seq: *seq }
    }

    /// Numbers the receives posted before `ticket` that may have got a message of this line.
    fn number_earlier(&mut self, wanted: &Wanted, ticket: u64, source: Rank, tag: c_int) {
        let mut list = self.deferred.remove(&wanted.id).unwrap_or_default();
        for earlier in list.iter_mut().filter(|d| d.ticket < ticket && d.token.is_none()) {
            if earlier.source.is_some_and(|s| s != source) || earlier.tag.is_some_and(|t| t != tag) {
                continue;
            }
            if let Some((source, tag)) = got(earlier, wanted.id) {
                earlier.token = Some(self.receive(wanted.id, source, wanted.me, tag));
            }
        }
        self.deferred.insert(wanted.id, list);
    }
}

/// What a posted receive got, if it is complete.
fn got(posted: &Deferred, id: u64) -> Option<(Rank, c_int)> {
    let request = posted.request?;
    let mut flag = 0;
    // SAFETY: an all-zero status is valid; the request is one that the program has not completed yet.
    let (result, status) = unsafe {
        let mut status: MPI_Status = std::mem::zeroed();
        (crate::mpi::requests::real_Request_get_status(request, &raw mut flag, &raw mut status), status)
    };
    if result != SUCCESS || flag == 0 {
        return None;
    }
    Some((comms::known_peer(posted.comm, id, status.MPI_SOURCE)?, status.MPI_TAG))
}

/// A receive is posted.
pub fn post(wanted: Wanted) -> Posted {
    COUNTS.with(|counts| {
        let waiting = counts.deferred.get(&wanted.id);
        let competes = |d: &Deferred| {
            d.token.is_none()
                && d.source.zip(wanted.source).is_none_or(|(a, b)| a == b)
                && d.tag.zip(wanted.tag).is_none_or(|(a, b)| a == b)
        };
        if let (Some(source), Some(tag)) = (wanted.source, wanted.tag)
            && !waiting.is_some_and(|list| list.iter().any(competes))
        {
            return Posted::Numbered(counts.receive(wanted.id, source, wanted.me, tag));
        }
        counts.tickets += 1;
        let ticket = counts.tickets;
        let Wanted { comm, id, source, tag, .. } = wanted;
        counts.deferred.entry(id).or_default().push(Deferred { ticket, request: None, comm, source, tag, token: None });
        Posted::Later(ticket, wanted)
    })
}

/// The request of a receive that was posted last on its communicator.
pub fn has_request(posted: Posted, request: MPI_Request) {
    if let Posted::Later(ticket, wanted) = posted {
        COUNTS.with(|counts| {
            let list = counts.deferred.entry(wanted.id).or_default();
            if let Some(own) = list.iter_mut().rev().find(|d| d.ticket == ticket) {
                own.request = Some(request);
            }
        });
    }
}

/// Whether receives of unknown messages are pending on a communicator.
pub fn are_pending(id: u64) -> bool {
    COUNTS.with(|counts| counts.deferred.get(&id).is_some_and(|list| !list.is_empty()))
}

/// The program has given its request back: the library cannot be asked about it any more.
pub fn has_no_request(posted: Posted) {
    if let Posted::Later(ticket, wanted) = posted {
        COUNTS.with(|counts| {
            let list = counts.deferred.entry(wanted.id).or_default();
            if let Some(own) = list.iter_mut().find(|d| d.ticket == ticket) {
                own.request = None;
            }
        });
    }
}

/// A receive is complete: the message it got.
pub fn complete(posted: Posted, status: &MPI_Status) -> Option<Token> {
    match posted {
        Posted::Numbered(token) => Some(token),
        Posted::Later(ticket, wanted) => {
            let source = wanted.source.or_else(|| comms::known_peer(wanted.comm, wanted.id, status.MPI_SOURCE));
            let tag = wanted.tag.unwrap_or(status.MPI_TAG);
            COUNTS.with(|counts| {
                let own = forget(counts, wanted.id, ticket);
                if let Some(token) = own.and_then(|d| d.token) {
                    return Some(token);
                }
                counts.number_earlier(&wanted, ticket, source?, tag);
                Some(counts.receive(wanted.id, source?, wanted.me, tag))
            })
        }
    }
}

/// The message that a probe saw: the next one of its line.
pub fn seen(wanted: Wanted, status: &MPI_Status) -> Option<Token> {
    let source = wanted.source.or_else(|| comms::known_peer(wanted.comm, wanted.id, status.MPI_SOURCE))?;
    let tag = wanted.tag.unwrap_or(status.MPI_TAG);
    COUNTS.with(|counts| {
        counts.number_earlier(&wanted, u64::MAX, source, tag);
        let received = counts.received.get(&(wanted.id, source, tag)).copied().unwrap_or(0);
        let (from, to, tag) = (source, wanted.me, i64::from(tag));
        Some(Token::Message { group: wanted.id, from, to, tag, seq: received + 1 })
    })
}

/// A receive ends without a message. Its number goes to the next one, if nobody has got that yet.
pub fn withdraw(posted: Posted) {
    COUNTS.with(|counts| match posted {
        Posted::Later(ticket, wanted) => {
            forget(counts, wanted.id, ticket);
        }
        Posted::Numbered(Token::Message { group, from, tag, seq, .. }) => {
            if let Some(last) = counts.received.get_mut(&(group, from, tag as c_int)).filter(|last| **last == seq) {
                *last -= 1;
            }
        }
        Posted::Numbered(_) => {}
    });
}

fn forget(counts: &mut Counts, id: u64, ticket: u64) -> Option<Deferred> {
    let list = counts.deferred.get_mut(&id)?;
    let at = list.iter().position(|d| d.ticket == ticket)?;
    Some(list.remove(at))
}
