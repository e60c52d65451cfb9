//! The rounds of a cut: accesses to their owners, then, only if somebody has a conflict, questions about order ([`lookup`](crate::lookup)).
//!
//! What all ranks need to know of all is six numbers, of which the least or the greatest matters: no rank ever holds a list of the others. What a
//! rank's barrier settled is told to those owners that wait for it.

use crate::lookup::{Findings, Log, look_up};
use crate::owner::Owner;
use crate::sections::Sections;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use thrille_history::Store;
use thrille_model::wire::{self, WireError};
use thrille_model::{Access, Ctx, Held, LocksetId, Locksets, Mode, Phase, Pos, Race, Rank, Span, Strand, SyncEvent};
use thrille_transport::{Transport, TransportError};

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

/// What a rank says of itself at a cut.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// Whether some of those are held back, because they are under a lock: what flows into them may order what is known already.
    pub held_back: bool,
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
    /// Events of logs that this rank came to know for that.
    pub events: usize,
    /// Room for what is gathered next, of which the system would have to provide each page anew.
    pub room: Vec<Access>,
}

#[derive(Default, Serialize, Deserialize)]
struct Parcel {
    locksets: Vec<Vec<Held>>,
    accesses: Vec<Access>,
    closes: Vec<Close>,
    settled: Vec<(Strand, Pos)>,
    /// The same for what is in critical sections, and their ends.
    sections: Vec<(Strand, Pos)>,
}

/// What the ranks' statuses amount to.
struct Together {
    watermark: Phase,
    /// Whether nothing that is open, or still to come, needs the logs up to this cut.
    log_ends: bool,
    held_back: bool,
    busiest: u64,
    longest_ms: u64,
}

impl Together {
    /// The least is taken of each number.
    fn numbers(status: &Status, locksets: &Locksets, settled: bool) -> [u64; 6] {
        let ends = u64::from(status.watermark >= status.phase && status.open == 0 && settled);
        let (gathered, elapsed) = (u64::MAX - status.gathered, u64::MAX - status.elapsed_ms);
        // Nothing flows through a lock that is only shared.
        let exclusive = locksets.sets().iter().any(|set| set.iter().any(|held| held.mode == Mode::Exclusive));
        [status.watermark.0, ends, gathered, elapsed, u64::from(!status.held_back), u64::from(!exclusive)]
    }

    fn read(least: &[u64]) -> Self {
        let number = |i: usize| least.get(i).copied().unwrap_or_default();
        Self {
            watermark: Phase(number(0)),
            log_ends: number(1) == 1,
            busiest: u64::MAX - number(2),
            longest_ms: u64::MAX - number(3),
            held_back: number(4) == 0 && number(5) == 0,
        }
    }
}

/// Which owners wait to hear which positions are settled: they hold accesses whose last phase is not known yet.
#[derive(Default)]
struct Waiting(BTreeMap<Rank, FxHashMap<Strand, Pos>>);

impl Waiting {
    fn wait(&mut self, owner: Rank, strand: Strand, end: Pos) {
        let latest = self.0.entry(owner).or_default().entry(strand).or_default();
        *latest = (*latest).max(end);
    }

    fn access(&mut self, access: &Access) {
        let end = match access.span {
            Span::Point => Some(access.begin),
            Span::Operation(operation) => operation.end,
        };
        if let (None, Some(end)) = (access.phases.hi, end) {
            self.wait(access.place.owner, access.strand, end);
        }
    }

    fn close(&mut self, owner: Rank, close: &Close) {
        if let (None, Some(end)) = (close.phase, close.end) {
            self.wait(owner, close.strand, end);
        }
    }

    /// What each of them is told now. Who has heard all it waits for waits no longer.
    fn told(&mut self, settled: &[(Strand, Pos)]) -> Vec<(Rank, Vec<(Strand, Pos)>)> {
        let bounds: FxHashMap<Strand, Pos> = settled.iter().copied().collect();
        let mut told = Vec::new();
        self.0.retain(|owner, strands| {
            let news: Vec<_> = strands.keys().filter_map(|s| bounds.get_key_value(s)).map(|(s, p)| (*s, *p)).collect();
            if !news.is_empty() {
                told.push((*owner, news));
            }
            strands.retain(|strand, end| bounds.get(strand).is_none_or(|bound| *end >= *bound));
            !strands.is_empty()
        });
        told
    }
}

/// One rank's part in the analysis.
pub struct Analysis<T> {
    transport: T,
    owner: Owner,
    /// Own events that accesses of this cut, or carried over, may need.
    log: Log,
    waiting: Waiting,
    sections: Sections,
    /// Which owners wait to hear which critical sections are over.
    waiting_sections: Waiting,
}

impl<T: Transport> Analysis<T> {
    /// Starts with nothing.
    pub fn new(transport: T) -> Self {
        Self {
            transport,
            owner: Owner::default(),
            log: Log::default(),
            waiting: Waiting::default(),
            sections: Sections::default(),
            waiting_sections: Waiting::default(),
        }
    }

    /// The same, with conflicts found by this kind of interval history. What is found does not depend on it.
    #[must_use]
    pub fn with_history(mut self, history: Store) -> Self {
        self.owner.use_history(history);
        self
    }

    /// Makes a cut; all ranks do so at the same global barrier.
    pub fn cut(&mut self, gathered: Gathered) -> Result<Cut, AnalysisError> {
        let Gathered { accesses, closes, windows, events: log, locksets, status } = gathered;
        for (number, base) in windows {
            self.owner.window(number, base);
        }
        self.sections.follow(&log);
        self.log.extend(log);

        let together = self.exchange(accesses, closes, &locksets, &status)?;
        let Together { watermark, log_ends, held_back, busiest, longest_ms } = together;
        self.owner.postpone(held_back);
        let judged = self.owner.len();
        let screened = self.owner.screen();
        let (suspicious, protected) = (screened.suspicious, screened.flows);
        // What flowed through locks matters later only if the logs do.
        let wanted = suspicious || protected && !log_ends;
        // Round 2: is there a reason to look up order?
        let dealt = self.transport.deal(Vec::new(), &[u64::from(!wanted), u64::from(!protected)])?;
        let looked_up_order = dealt.least.first() == Some(&0);
        let mut events = 0;
        if looked_up_order {
            let anybody_protected = dealt.least.get(1) == Some(&0);
            let findings = Findings { suspicious, protected, anybody_protected };
            events = look_up(&mut self.transport, &mut self.owner, &mut self.log, findings)?;
        }

        let carried = self.owner.forget(watermark);
        if log_ends {
            self.log.clear();
        }
        let (races, room) = (self.owner.fresh(), self.owner.room());
        Ok(Cut { races, busiest, longest_ms, judged, carried, looked_up_order, events, room })
    }

    /// All races found by this owner so far.
    pub fn races(&self) -> impl Iterator<Item = &Race> {
        self.owner.races()
    }

    /// The ranks' way to talk, for what is not analysis.
    pub fn transport(&mut self) -> &mut T {
        &mut self.transport
    }

    /// Round 1: accesses, completions and what is settled to the owners; what the statuses amount to.
    fn exchange(
        &mut self,
        mut accesses: Vec<Access>,
        closes: Vec<(Rank, Close)>,
        locksets: &Locksets,
        status: &Status,
    ) -> Result<Together, AnalysisError> {
        let me = Rank(self.transport.rank());
        let ended = Phase(status.phase.0.saturating_sub(1));
        let mut parcels: BTreeMap<Rank, Parcel> = BTreeMap::new();
        for access in &accesses {
            self.waiting.access(access);
            if access.locks != LocksetId::EMPTY {
                self.waiting_sections.wait(access.place.owner, access.strand, access.begin);
            }
        }
        for access in accesses.extract_if(.., |access| access.place.owner != me) {
            parcels.entry(access.place.owner).or_default().accesses.push(access);
        }
        // Most are the rank's own, and stay where they are.
        parcels.entry(me).or_default().accesses = accesses;
        for (owner, close) in closes {
            self.waiting.close(owner, &close);
            parcels.entry(owner).or_default().closes.push(close);
        }
        for (owner, settled) in self.waiting.told(&status.settled) {
            parcels.entry(owner).or_default().settled = settled;
        }
        let over = self.sections.settle(&status.settled);
        for (owner, sections) in self.waiting_sections.told(&over) {
            parcels.entry(owner).or_default().sections = sections;
        }
        let table: Vec<Vec<Held>> = locksets.sets().iter().map(|set| set.to_vec()).collect();
        let mut to = Vec::new();
        let mut own = None;
        for (owner, mut parcel) in parcels {
            parcel.locksets.clone_from(&table);
            if owner == me {
                own = Some(parcel);
            } else {
                to.push((owner.0, wire::encode(&parcel)));
            }
        }
        // What no barrier is known to follow, such as what a resting thread did, is in order by the logs alone.
        let settled = self.waiting.0.is_empty() && self.waiting_sections.0.is_empty();
        let dealt = self.transport.deal(to, &Together::numbers(status, locksets, settled))?;
        let others: Vec<Parcel> =
            dealt.from.iter().map(|(from, bytes)| read(*from, bytes)).collect::<Result<_, _>>()?;
        for parcel in own.into_iter().chain(others) {
            self.owner.take(parcel.accesses, &parcel.closes, &parcel.locksets);
            for (strand, before) in parcel.settled {
                self.owner.settle(strand, before, ended);
            }
            for (strand, before) in parcel.sections {
                self.owner.sections_over(strand, before, ended);
            }
        }
        Ok(Together::read(&dealt.least))
    }
}

/// What another rank sent.
pub(crate) fn read<V: serde::de::DeserializeOwned>(from: u32, bytes: &[u8]) -> Result<V, AnalysisError> {
    wire::decode(bytes).map_err(|error| AnalysisError::Wire { from: Rank(from), error })
}
