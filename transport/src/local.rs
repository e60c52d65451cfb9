//! Ranks that are threads of one process: for tests, with the same rounds as everywhere.
//!
//! Shared state: one [`Gather`] and one inbox slot a rank, under one mutex. The thread that completes a round fills the
//! slots of all ranks present and wakes them; a rank empties only its own slot, before it can speak again.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};

use crate::{
    Transport, TransportError,
    gather::{Gather, Turn},
    message::{Inbox, Outbox},
    sockets::HubEvent,
};

/// `n` endpoints, in order of rank. Dropping one counts as leaving.
pub fn local(n: u32) -> Vec<Local> {
    local_with_events(n).0
}

/// `n` endpoints, and what a launcher would hear of them: dropped without [`Transport::leave`] is [`HubEvent::Lost`].
pub fn local_with_events(n: u32) -> (Vec<Local>, mpsc::Receiver<HubEvent>) {
    let (events, receiver) = mpsc::channel();
    let table = Table { gather: Gather::new(n), inboxes: (0..n).map(|_| None).collect() };
    let shared = Arc::new(Shared { table: Mutex::new(table), turned: Condvar::new() });
    let ranks = (0..n).map(|rank| {
        let _ = events.send(HubEvent::Joined(rank));
        Local { rank, size: n, here: true, shared: Arc::clone(&shared), events: events.clone() }
    });
    (ranks.collect(), receiver)
}

struct Table {
    gather: Gather,
    inboxes: Vec<Option<Inbox>>,
}

struct Shared {
    table: Mutex<Table>,
    turned: Condvar,
}

impl Shared {
    /// A rank that panicked leaves when it is dropped; it never does so halfway through a change of the table.
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn deal(&self, table: &mut Table, turn: Option<Turn>) {
        let Some(turn) = turn else { return };
        for (rank, from) in turn.sent {
            table.inboxes[rank as usize] = Some(Inbox { from, all: turn.said.clone() });
        }
        self.turned.notify_all();
    }
}

/// One rank among the threads of a process.
pub struct Local {
    rank: u32,
    size: u32,
    here: bool,
    shared: Arc<Shared>,
    events: mpsc::Sender<HubEvent>,
}

impl Local {
    fn check_here(&self) -> Result<(), TransportError> {
        if self.here { Ok(()) } else { Err(TransportError::Left { rank: self.rank }) }
    }

    fn go(&mut self, event: HubEvent) {
        self.here = false;
        let _ = self.events.send(event);
        let mut table = self.shared.lock();
        let turn = table.gather.leave(self.rank);
        self.shared.deal(&mut table, turn);
    }
}

impl Transport for Local {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn round(&mut self, out: Outbox) -> Result<Inbox, TransportError> {
        self.check_here()?;
        out.check_receivers(self.rank, self.size)?;
        let mut table = self.shared.lock();
        let round = table.gather.round();
        // Never out of step: the inbox of the round before was taken before this rank could speak again.
        let turn = table.gather.speak(self.rank, round, out).unwrap_or_default();
        self.shared.deal(&mut table, turn);
        loop {
            if let Some(inbox) = table.inboxes[self.rank as usize].take() {
                return Ok(inbox);
            }
            table = self.shared.turned.wait(table).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn leave(&mut self, last_word: &[u8]) -> Result<(), TransportError> {
        self.check_here()?;
        self.go(HubEvent::Left(self.rank, last_word.to_vec()));
        Ok(())
    }

    fn note(&mut self, bytes: &[u8]) -> Result<(), TransportError> {
        self.check_here()?;
        let _ = self.events.send(HubEvent::Note(self.rank, bytes.to_vec()));
        Ok(())
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        if self.here {
            self.go(HubEvent::Lost(self.rank));
        }
    }
}
