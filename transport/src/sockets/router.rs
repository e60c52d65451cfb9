//! Who sits where and what round it is: the one task that decides, fed by all the others through one channel.
//!
//! | a seat is | meaning |
//! |---|---|
//! | `Awaited` | the rank has not connected yet; rounds wait for it |
//! | `Here` | connected; the seat owns the way to its writer, and the way to dismiss its reader |
//! | `Gone` | left or lost, for good |

use std::{
    net::SocketAddr,
    sync::{Arc, mpsc},
    time::Duration,
};

use tokio::{
    net::tcp::OwnedWriteHalf,
    sync::{Notify, mpsc as channel, oneshot},
    task::JoinHandle,
    time::{self, MissedTickBehavior},
};

use super::{
    HubEvent, HubOptions, Refusal,
    connection::{self, Outgoing},
};
use crate::{
    gather::{Gather, OutOfStep, Turn},
    message::Outbox,
    wire::{Claim, Frame},
};

/// How long an orderly end may take over the last frames.
const FAREWELL: Duration = Duration::from_secs(1);

/// What the router is told.
#[derive(Debug)]
pub enum Input {
    /// A connection never came as far as to claim a rank.
    Stranger(SocketAddr, Refusal),
    /// A client that knows the token claims a rank. The answer is how it is dismissed; none if it is refused.
    Join { claim: Claim, peer: SocketAddr, write: OwnedWriteHalf, seated: oneshot::Sender<Arc<Notify>> },
    /// A rank has said all it has to say in a round.
    Spoke { rank: u32, round: u64, out: Outbox },
    /// A rank sent a note.
    Note { rank: u32, bytes: Vec<u8> },
    /// Nothing more comes from a rank.
    Ended { rank: u32, end: End },
    /// The launcher says that a rank is dead.
    Lose(u32),
    /// The launcher has had enough.
    ShutDown,
}

/// How a rank's connection ended.
#[derive(Debug)]
pub enum End {
    /// It left.
    Left(Vec<u8>),
    /// It closed, or broke.
    Closed,
    /// It broke the protocol.
    Refused(Refusal),
}

struct Here {
    peer: SocketAddr,
    outgoing: channel::UnboundedSender<Outgoing>,
    writer: JoinHandle<()>,
    dismiss: Arc<Notify>,
}

enum Seat {
    Awaited,
    Here(Here),
    Gone,
}

pub struct Router {
    size: u32,
    limit: u32,
    keep_alive: Duration,
    events: mpsc::Sender<HubEvent>,
    seats: Vec<Seat>,
    gather: Gather,
}

impl Router {
    pub fn new(size: u32, options: &HubOptions, events: mpsc::Sender<HubEvent>) -> Self {
        Self {
            size,
            limit: options.limit,
            // A timer of zero is no timer.
            keep_alive: options.keep_alive.max(Duration::from_millis(1)),
            events,
            seats: (0..size).map(|_| Seat::Awaited).collect(),
            gather: Gather::new(size),
        }
    }

    /// Until the launcher shuts the hub down.
    pub async fn run(mut self, mut inputs: channel::UnboundedReceiver<Input>) {
        let mut tick = time::interval(self.keep_alive);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let input = tokio::select! {
                input = inputs.recv() => input,
                _ = tick.tick() => {
                    self.tell_alive();
                    continue;
                }
            };
            match input {
                Some(Input::Stranger(peer, why)) => self.event(HubEvent::Refused(peer, why)),
                Some(Input::Join { claim, peer, write, seated }) => self.join(claim, peer, write, seated),
                Some(Input::Spoke { rank, round, out }) => self.spoke(rank, round, out),
                Some(Input::Note { rank, bytes }) => {
                    if self.here(rank).is_some() {
                        self.event(HubEvent::Note(rank, bytes));
                    }
                }
                Some(Input::Ended { rank, end }) => self.ended(rank, end),
                Some(Input::Lose(rank)) => self.lose(rank),
                Some(Input::ShutDown) | None => return self.shut_down().await,
            }
        }
    }

    fn event(&self, event: HubEvent) {
        // A launcher that does not listen is none of the hub's business.
        let _ = self.events.send(event);
    }

    fn here(&self, rank: u32) -> Option<&Here> {
        match self.seats.get(rank as usize) {
            Some(Seat::Here(here)) => Some(here),
            _ => None,
        }
    }

    fn grant(&mut self, claim: Claim) -> Result<&mut Seat, Refusal> {
        let Claim { rank, size } = claim;
        if size != self.size {
            return Err(Refusal::WrongSize { theirs: size, ours: self.size });
        }
        match self.seats.get_mut(rank as usize) {
            None => Err(Refusal::NoSuchRank { rank, size }),
            Some(Seat::Here(_)) => Err(Refusal::Taken(rank)),
            Some(Seat::Gone) => Err(Refusal::Gone(rank)),
            Some(seat @ Seat::Awaited) => Ok(seat),
        }
    }

    fn join(&mut self, claim: Claim, peer: SocketAddr, write: OwnedWriteHalf, seated: oneshot::Sender<Arc<Notify>>) {
        let (outgoing, queue) = channel::unbounded_channel();
        let writer = tokio::spawn(connection::write(write, queue));
        let limit = self.limit;
        match self.grant(claim) {
            Err(why) => {
                let _ = outgoing.send(Outgoing::refusal(&why));
                self.event(HubEvent::Refused(peer, why));
            }
            Ok(seat) => {
                let dismiss = Arc::new(Notify::new());
                let _ = outgoing.send(Outgoing::Frame(Frame::Welcome { limit }));
                *seat = Seat::Here(Here { peer, outgoing, writer, dismiss: Arc::clone(&dismiss) });
                self.event(HubEvent::Joined(claim.rank));
                // If the connection has ended meanwhile, its reader says so.
                let _ = seated.send(dismiss);
            }
        }
    }

    fn spoke(&mut self, rank: u32, round: u64, out: Outbox) {
        if self.here(rank).is_none() {
            return;
        }
        match self.gather.speak(rank, round, out) {
            Ok(turn) => self.deal(turn),
            Err(OutOfStep { current }) => self.refuse(rank, Refusal::OutOfStep { rank, said: round, current }),
        }
    }

    fn ended(&mut self, rank: u32, end: End) {
        match end {
            End::Refused(why) => self.refuse(rank, why),
            End::Left(last_word) => {
                if let Some(here) = self.rise(rank) {
                    let _ = here.outgoing.send(Outgoing::Frame(Frame::Farewell));
                    self.gone(rank, HubEvent::Left(rank, last_word));
                }
            }
            End::Closed => {
                if let Some(here) = self.rise(rank) {
                    here.writer.abort();
                    self.gone(rank, HubEvent::Lost(rank));
                }
            }
        }
    }

    /// A rank that has a connection is lost when its reader has read what there was: see `connection::serve`.
    fn lose(&mut self, rank: u32) {
        match self.seats.get_mut(rank as usize) {
            Some(Seat::Here(here)) => here.dismiss.notify_one(),
            Some(seat @ Seat::Awaited) => {
                *seat = Seat::Gone;
                self.gone(rank, HubEvent::Lost(rank));
            }
            Some(Seat::Gone) | None => {}
        }
    }

    fn refuse(&mut self, rank: u32, why: Refusal) {
        if let Some(here) = self.rise(rank) {
            let _ = here.outgoing.send(Outgoing::refusal(&why));
            here.dismiss.notify_one();
            self.event(HubEvent::Refused(here.peer, why));
            self.gone(rank, HubEvent::Lost(rank));
        }
    }

    /// Empties a seat, for good.
    fn rise(&mut self, rank: u32) -> Option<Here> {
        let seat = self.seats.get_mut(rank as usize)?;
        match std::mem::replace(seat, Seat::Gone) {
            Seat::Here(here) => Some(here),
            other => {
                *seat = other;
                None
            }
        }
    }

    fn gone(&mut self, rank: u32, event: HubEvent) {
        self.event(event);
        let turn = self.gather.leave(rank);
        self.deal(turn);
    }

    fn deal(&self, turn: Option<Turn>) {
        let Some(Turn { round, said, sent }) = turn else { return };
        let mut shared = Vec::new();
        for (rank, bytes) in (0..).zip(said) {
            if let Some(bytes) = bytes {
                Frame::Said { rank, bytes }.encode(&mut shared);
            }
        }
        let said: Arc<[u8]> = shared.into();
        for (rank, from) in sent {
            if let Some(here) = self.here(rank) {
                let _ = here.outgoing.send(Outgoing::Inbox { round, said: Arc::clone(&said), from });
            }
        }
    }

    /// Only to those that wait, and therefore read: nothing piles up at one that computes.
    fn tell_alive(&self) {
        for (rank, seat) in (0..).zip(&self.seats) {
            if let Seat::Here(here) = seat
                && self.gather.waits(rank)
            {
                let _ = here.outgoing.send(Outgoing::Frame(Frame::Alive));
            }
        }
    }

    async fn shut_down(self) {
        let mut writers = Vec::new();
        for seat in self.seats {
            if let Seat::Here(here) = seat {
                let _ = here.outgoing.send(Outgoing::Frame(Frame::Farewell));
                writers.push(here.writer);
            }
        }
        let flushed = async {
            for writer in writers {
                let _ = writer.await;
            }
        };
        let _ = time::timeout(FAREWELL, flushed).await;
    }
}
