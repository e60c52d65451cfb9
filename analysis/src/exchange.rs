//! The rounds of a cut: accesses to their owners, then, only if somebody has a conflict, logs to everybody.

use crate::owner::Owner;
use serde::{Deserialize, Serialize};
use thrille_history::Store;
use thrille_model::wire::{self, WireError};
use thrille_model::{Access, Ctx, Flow, Held, LocksetId, Locksets, Phase, Pos, Race, Rank, Strand, SyncEvent};
use thrille_transport::{Outbox, Transport, TransportError};

/// Why a cut failed.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    /// The ranks could not talk.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// A rank said something that cannot be understood.
    #[error("{from} sent something that cannot be read: {error}")]
    Wire {
        /// Who.
        from: Rank,
        /// What is wrong with it.
        error: WireError,
    },
}

/// The completion of an operation that was still open at an earlier cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Close {
    /// Who issued it.
    pub strand: Strand,
    /// Where.
    pub begin: Pos,
    /// On which context: the ends of an operation at one rank may be completed one after the other.
    pub ctx: Ctx,
    /// Where its own strand completed it; none if another strand of the rank did.
    pub end: Option<Pos>,
    /// The last phase it reaches into, if a global barrier is known to come after it.
    pub phase: Option<Phase>,
    /// The locks that were held all the time.
    pub locks: LocksetId,
}

/// What all ranks know of one another after a cut.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// The phase this cut's barrier began: all agree on it.
    pub phase: Phase,
    /// The earliest phase that anything of this rank that is still to come may fall into: its strands' next accesses, and open
    /// operations that are held back because they are under a lock (whether it protects them shows when they are complete). Not later
    /// than the phase in which a critical section began that has not ended: something may flow out of it yet.
    pub watermark: Phase,
    /// Of each strand, the position before which everything comes before this cut's barrier.
    pub settled: Vec<(Strand, Pos)>,
    /// Operations of this rank that are still open: what orders them may be in the logs of before this cut.
    pub open: u64,
    /// Accesses recorded since the last cut.
    pub gathered: u64,
    /// Milliseconds since the last cut.
    pub elapsed_ms: u64,
}

/// What one rank has recorded since the last cut.
#[derive(Default)]
pub struct Gathered {
    /// Accesses, to whosever memory.
    pub accesses: Vec<Access>,
    /// Completions of operations of earlier cuts, with the owner of the memory.
    pub closes: Vec<(Rank, Close)>,
    /// Windows made since the last cut: their numbers, and where this rank's part of them begins.
    pub windows: Vec<(u32, u64)>,
    /// Synchronisation events.
    pub events: Vec<SyncEvent>,
    /// The table that the locksets of the above are numbers in.
    pub locksets: Locksets,
    /// What everybody is told.
    pub status: Status,
}

/// What came of a cut.
#[derive(Debug, Default)]
pub struct Cut {
    /// Races that were not known before.
    pub races: Vec<Race>,
    /// The most accesses that any rank gathered.
    pub busiest: u64,
    /// The longest any rank took since the last cut.
    pub longest_ms: u64,
    /// Accesses to this rank's memory that were looked at.
    pub judged: usize,
    /// Accesses carried over here.
    pub carried: usize,
    /// Whether order had to be looked up.
    pub looked_up_order: bool,
}

#[derive(Default, Serialize, Deserialize)]
struct Parcel {
    locksets: Vec<Vec<Held>>,
    accesses: Vec<Access>,
    closes: Vec<Close>,
}

/// One rank's part in the analysis.
pub struct Analysis<T> {
    transport: T,
    owner: Owner,
    /// Own events that accesses carried over may still need.
    log: Vec<SyncEvent>,
    /// What flowed through locks, anywhere, since that log begins.
    flows: Vec<Flow>,
}

impl<T: Transport> Analysis<T> {
    /// Starts with nothing.
    pub fn new(transport: T) -> Self {
        Self { transport, owner: Owner::default(), log: Vec::new(), flows: Vec::new() }
    }

    /// The same, with conflicts found by this kind of interval history. What is found does not depend on it.
    #[must_use]
    pub fn with_history(mut self, history: Store) -> Self {
        self.owner.use_history(history);
        self
    }

    /// Makes a cut; all ranks do so at the same global barrier.
    pub fn cut(&mut self, gathered: Gathered) -> Result<Cut, AnalysisError> {
        let Gathered { accesses, closes, windows, events, locksets, status } = gathered;
        for (number, base) in windows {
            self.owner.window(number, base);
        }
        self.log.extend(events);

        let statuses = self.exchange(accesses, closes, &locksets, &status)?;
        for (strand, before) in statuses.iter().flat_map(|s| &s.settled) {
            let ended = Phase(status.phase.0.saturating_sub(1));
            self.owner.settle(*strand, *before, ended);
        }

        let judged = self.owner.len();
        let watermark = statuses.iter().map(|s| s.watermark).min().unwrap_or(status.phase);
        let log_ends = watermark >= status.phase && statuses.iter().all(|s| s.open == 0);
        let screened = self.owner.screen();
        let (suspicious, protected) = (screened.suspicious, screened.flows);
        // What flowed through locks matters later only if the logs do.
        let looked_up_order = self.anybody(suspicious || protected && !log_ends)?;
        if looked_up_order {
            let logs: Vec<SyncEvent> = self.told(&self.log.clone())?.into_iter().flatten().collect();
            let flows = if protected { self.owner.flows(&logs) } else { Vec::new() };
            let flows = self.told(&flows)?;
            self.flows.extend(flows.into_iter().flatten());
            if suspicious {
                self.owner.judge(&logs, &self.flows);
            }
        }

        let carried = self.owner.forget(watermark);
        if log_ends {
            self.log.clear();
            self.flows.clear();
        }
        let busiest = statuses.iter().map(|s| s.gathered).max().unwrap_or(0);
        let longest_ms = statuses.iter().map(|s| s.elapsed_ms).max().unwrap_or(0);
        Ok(Cut { races: self.owner.fresh(), busiest, longest_ms, judged, carried, looked_up_order })
    }

    /// All races found by this owner so far.
    pub fn races(&self) -> impl Iterator<Item = &Race> {
        self.owner.races()
    }

    /// The ranks' way to talk, for what is not analysis.
    pub fn transport(&mut self) -> &mut T {
        &mut self.transport
    }

    /// Round 1: accesses and completions to the owners, statuses to all.
    fn exchange(
        &mut self,
        accesses: Vec<Access>,
        closes: Vec<(Rank, Close)>,
        locksets: &Locksets,
        status: &Status,
    ) -> Result<Vec<Status>, AnalysisError> {
        let me = Rank(self.transport.rank());
        let mut parcels: std::collections::BTreeMap<Rank, Parcel> = std::collections::BTreeMap::new();
        for access in accesses {
            parcels.entry(access.place.owner).or_default().accesses.push(access);
        }
        for (owner, close) in closes {
            parcels.entry(owner).or_default().closes.push(close);
        }
        let table: Vec<Vec<Held>> = locksets.sets().iter().map(|set| set.to_vec()).collect();
        let mut out = Outbox::new().all(wire::encode(status));
        for (owner, mut parcel) in parcels {
            if owner == me {
                self.owner.take(parcel.accesses, &parcel.closes, &table);
            } else {
                parcel.locksets.clone_from(&table);
                out = out.to(owner.0, wire::encode(&parcel));
            }
        }
        let inbox = self.transport.round(out)?;
        for (from, bytes) in inbox.from {
            let parcel: Parcel = read(from, &bytes)?;
            self.owner.take(parcel.accesses, &parcel.closes, &parcel.locksets);
        }
        said_by_all(inbox.all)
    }

    /// Round 2: is there a reason to look up order?
    fn anybody(&mut self, suspicious: bool) -> Result<bool, AnalysisError> {
        Ok(self.told(&suspicious)?.contains(&true))
    }

    /// A round in which everybody tells everybody: round 3 logs, round 4 what flowed through locks.
    fn told<V: Serialize + serde::de::DeserializeOwned>(&mut self, mine: &V) -> Result<Vec<V>, AnalysisError> {
        let inbox = self.transport.round(Outbox::new().all(wire::encode(mine)))?;
        said_by_all(inbox.all)
    }
}

fn said_by_all<V: serde::de::DeserializeOwned>(all: Vec<Option<Vec<u8>>>) -> Result<Vec<V>, AnalysisError> {
    all.into_iter().enumerate().filter_map(|(from, said)| said.map(|bytes| read(from as u32, &bytes))).collect()
}

fn read<V: serde::de::DeserializeOwned>(from: u32, bytes: &[u8]) -> Result<V, AnalysisError> {
    wire::decode(bytes).map_err(|error| AnalysisError::Wire { from: Rank(from), error })
}
