//! A job in one process: its strands do what they are told one after the other, the ranks' analyses are told what ranks would tell them, and exchange at some of the global barriers. All
//! that was done is kept for the oracle.

mod steps;

use std::collections::BTreeSet;
pub use steps::Step;
use thrille_analysis::{Analysis, Close, Gathered, Status};
use thrille_history::Store;
use thrille_model::oracle::{self, SitePair};
use thrille_model::*;
use thrille_transport::{Local, local};

/// Words of each rank that strands synchronise by.
pub const WORDS: u64 = 3;

struct Simulated {
    strand: Strand,
    pos: Pos,
    alive: bool,
    /// Does nothing until another strand of its rank wakes it.
    resting: bool,
    /// Local knowledge: of each strand of the rank, and of the phase.
    knows: Vec<u64>,
    phase: Phase,
    locks: Vec<Held>,
    /// The phase in which it took the oldest lock that it has alone.
    locked_since: Phase,
}

impl Simulated {
    fn awake(&self) -> bool {
        self.alive && !self.resting
    }

    /// Whether it has a lock alone.
    fn in_section(&self) -> bool {
        self.locks.iter().any(|held| held.mode == Mode::Exclusive)
    }
}

struct OpenOperation {
    access: usize,
    locks: Vec<Held>,
    shipped: bool,
    /// Which strand completed it where, if not its own.
    completed: Option<(Strand, Pos)>,
}

pub struct World {
    ranks: u32,
    strands: Vec<Simulated>,
    accesses: Vec<Access>,
    events: Vec<SyncEvent>,
    locksets: Locksets,
    open: Vec<OpenOperation>,
    versions: Vec<u64>,
    sections: [u64; 2],
    phase: u64,
    collectives: u64,
    messages: u64,
    /// Messages that nobody has received yet, and the operations that end with that.
    under_way: Vec<(Token, Ctx)>,
    analyses: Vec<Analysis<Local>>,
    unsent_accesses: Vec<usize>,
    unsent_events: usize,
    closes: Vec<(Rank, Rank, Close)>,
    next_site: u64,
}

impl World {
    pub fn new(ranks: u32) -> Self {
        // Each rank with another kind of history: what is found must not depend on it.
        let histories = Store::ALL.into_iter().cycle().skip(ranks as usize);
        let with = |(transport, history)| Analysis::new(transport).with_history(history);
        let analyses = local(ranks).into_iter().zip(histories).map(with).collect();
        let strands = (0..ranks)
            .map(|r| Simulated {
                strand: Strand { rank: Rank(r), index: 0 },
                pos: Pos(0),
                alive: true,
                resting: false,
                knows: vec![0; 4],
                phase: Phase(0),
                locks: Vec::new(),
                locked_since: Phase(0),
            })
            .collect();
        Self {
            ranks,
            strands,
            accesses: Vec::new(),
            events: Vec::new(),
            locksets: Locksets::default(),
            open: Vec::new(),
            versions: vec![0; (u64::from(ranks) * WORDS) as usize],
            sections: [0; 2],
            phase: 0,
            collectives: 0,
            messages: 0,
            under_way: Vec::new(),
            analyses,
            unsent_accesses: Vec::new(),
            unsent_events: 0,
            closes: Vec::new(),
            next_site: 0,
        }
    }

    pub fn tick(&mut self, s: usize) -> Pos {
        self.strands[s].pos.0 += 1;
        self.strands[s].pos
    }

    pub fn event(&mut self, s: usize, sync: Sync) {
        let pos = self.tick(s);
        self.event_at(s, pos, sync);
    }

    pub fn event_at(&mut self, s: usize, pos: Pos, sync: Sync) {
        let own = self.strands[s].strand.index as usize;
        self.strands[s].knows[own] = pos.0;
        self.events.push(SyncEvent { strand: self.strands[s].strand, pos, sync, at: Caller::default() });
    }

    fn site(&mut self, step: u32) -> Site {
        self.next_site += 1;
        // Lines repeat now and then, so that pairs of lines are met more than once.
        let line = if step.is_multiple_of(3) { u64::from(step % 7) } else { 100 + self.next_site };
        Site { module: 0, offset: line }
    }

    #[allow(clippy::too_many_arguments)]
    pub fn access(&mut self, s: usize, owner: Rank, lo: u64, len: u64, kind: Kind, span: Span, site: Site) {
        self.access_in(Segment::Heap, s, owner, lo, len, kind, span, site);
    }

    /// An access to a word that ranks synchronise by.
    fn access_word(&mut self, s: usize, word: Word, kind: Kind, span: Span, site: Site) {
        self.access_in(word.segment, s, word.owner, word.offset, Word::BYTES, kind, span, site);
    }

    #[allow(clippy::too_many_arguments)]
    fn access_in(
        &mut self,
        segment: Segment,
        s: usize,
        owner: Rank,
        lo: u64,
        len: u64,
        kind: Kind,
        span: Span,
        site: Site,
    ) {
        let strand = &self.strands[s];
        let single = self.strands.iter().filter(|o| o.strand.rank == strand.strand.rank).count() == 1;
        let open = span != Span::Point;
        // Every other byte, now and then, where a line may do that.
        let plain = !open && matches!(kind, Kind::Read | Kind::Write) && site.offset.is_multiple_of(2);
        let comb = if plain { Comb::new(lo, 2, 1, len.div_ceil(2)) } else { None };
        let (bytes, comb) = comb.unwrap_or((Interval::from_len(lo, len).unwrap(), Comb::SOLID));
        let access = Access {
            place: Place { owner, segment, bytes, comb },
            kind,
            strand: strand.strand,
            begin: strand.pos,
            span,
            phases: Phases { lo: strand.phase, hi: (single && !open).then_some(strand.phase) },
            locks: LocksetId::EMPTY,
            act: if open { Act::Put } else { Act::Store },
            site,
            stack: StackId(0),
            times: 1,
        };
        let locks = strand.locks.clone();
        let locks_id = self.locksets.intern(locks.clone());
        self.accesses.push(Access { locks: locks_id, ..access });
        let index = self.accesses.len() - 1;
        if open {
            self.open.push(OpenOperation { access: index, locks, shipped: false, completed: None });
        } else {
            self.unsent_accesses.push(index);
        }
    }

    /// Completes what a strand knows of on a context.
    pub fn quiet(&mut self, s: usize, ctx: Ctx) {
        self.event(s, Sync::Quiet(ctx));
        let (strand, pos, knows, phase) =
            (self.strands[s].strand, self.strands[s].pos, self.strands[s].knows.clone(), self.strands[s].phase);
        let single = self.strands.iter().filter(|o| o.strand.rank == strand.rank).count() == 1;
        for mut operation in std::mem::take(&mut self.open) {
            let access = &mut self.accesses[operation.access];
            let Span::Operation(ref mut span) = access.span else { unreachable!() };
            if span.ctx == ctx && access.strand == strand {
                span.end = Some(pos);
                self.close(operation, single.then_some(phase));
                continue;
            }
            let known = access.strand.rank == strand.rank && knows[access.strand.index as usize] > access.begin.0;
            if span.ctx == ctx && known {
                operation.completed.get_or_insert((strand, pos));
            }
            self.open.push(operation);
        }
    }

    fn close(&mut self, operation: OpenOperation, phase: Option<Phase>) {
        let access = &mut self.accesses[operation.access];
        access.phases.hi = phase;
        access.locks = self.locksets.intern(operation.locks);
        if operation.shipped {
            let Operation { end, ctx, .. } = access.operation().unwrap();
            let close = Close { strand: access.strand, begin: access.begin, ctx, end, phase, locks: access.locks };
            self.closes.push((access.strand.rank, access.place.owner, close));
        } else {
            self.unsent_accesses.push(operation.access);
        }
    }

    /// A global barrier comes after what its callers know to be completed.
    fn settle_operations(&mut self, s: usize) {
        for operation in std::mem::take(&mut self.open) {
            let caller = &self.strands[s];
            let settled = operation.completed.is_some_and(|(strand, pos)| {
                strand.rank == caller.strand.rank && caller.knows[strand.index as usize] > pos.0
            });
            if settled {
                self.close(operation, Some(Phase(self.phase - 1)));
            } else {
                self.open.push(operation);
            }
        }
    }

    pub fn unlock(&mut self, s: usize, lock: Lock) {
        if self.strands[s].locks.contains(&Held { lock, mode: Mode::Exclusive }) {
            let number = self.sections[lock_number(lock)];
            self.event(s, Sync::Unlock(lock, number));
        } else {
            // Nobody has had it alone meanwhile.
            let (number, phase) = (self.sections[lock_number(lock)], self.strands[s].phase);
            self.event(s, Sync::Unshare { lock, number, phase });
        }
        self.strands[s].locks.retain(|h| h.lock != lock);
        let strand = self.strands[s].strand;
        for operation in &mut self.open {
            let access = &mut self.accesses[operation.access];
            if access.strand == strand {
                // A lock protects only what completes before it is released.
                operation.locks.retain(|h| h.lock != lock);
                access.locks = self.locksets.intern(operation.locks.clone());
            }
        }
    }

    pub fn lock(&mut self, s: usize, lock: Lock) {
        self.sections[lock_number(lock)] += 1;
        self.event(s, Sync::Lock(lock, self.sections[lock_number(lock)]));
        if !self.strands[s].in_section() {
            self.strands[s].locked_since = self.strands[s].phase;
        }
        self.strands[s].locks.push(Held { lock, mode: Mode::Exclusive });
    }

    pub fn share(&mut self, s: usize, lock: Lock) {
        self.event(s, Sync::Share(lock, self.sections[lock_number(lock)]));
        self.strands[s].locks.push(Held { lock, mode: Mode::Shared });
    }

    pub fn barrier(&mut self, callers: &[usize], completes: bool, cut: bool) {
        self.phase += 1;
        let token = Token::Phase(Phase(self.phase));
        let mut settled = Vec::new();
        for &s in callers {
            if completes {
                self.quiet(s, Ctx(0));
            }
            self.event(s, Sync::Release(token));
            self.settle_operations(s);
            let Simulated { strand, knows, .. } = &self.strands[s];
            settled.push(
                knows
                    .iter()
                    .enumerate()
                    .map(|(i, &k)| (Strand { rank: strand.rank, index: i as u32 }, Pos(k)))
                    .collect::<Vec<_>>(),
            );
        }
        for &s in callers {
            self.event(s, Sync::Acquire(token));
            self.strands[s].phase = Phase(self.phase);
        }
        if cut {
            self.cut(settled);
        }
    }

    fn held_back(&self, rank: Rank) -> impl Iterator<Item = Phase> {
        self.open
            .iter()
            .filter(move |o| !o.shipped && !o.locks.is_empty() && self.accesses[o.access].strand.rank == rank)
            .map(|o| self.accesses[o.access].phases.lo)
    }

    fn inside_sections(&self, rank: Rank) -> impl Iterator<Item = Phase> {
        self.strands.iter().filter(move |s| s.strand.rank == rank && s.in_section()).map(|s| s.locked_since)
    }

    fn cut(&mut self, settled: Vec<Vec<(Strand, Pos)>>) {
        let mut gathered: Vec<Gathered> = settled
            .into_iter()
            .enumerate()
            .map(|(r, settled)| {
                let watermark = self
                    .strands
                    .iter()
                    .filter(|s| s.awake() && s.strand.rank.0 == r as u32)
                    .map(|s| s.phase)
                    .chain(self.held_back(Rank(r as u32)))
                    .chain(self.inside_sections(Rank(r as u32)))
                    .min()
                    .unwrap_or(Phase(self.phase));
                let status = Status {
                    phase: Phase(self.phase),
                    watermark,
                    settled,
                    open: self.open.len() as u64,
                    held_back: self.held_back(Rank(r as u32)).next().is_some(),
                    ..Status::default()
                };
                Gathered { locksets: self.locksets.clone(), status, ..Gathered::default() }
            })
            .collect();
        for index in std::mem::take(&mut self.unsent_accesses) {
            let access = self.accesses[index];
            gathered[access.strand.rank.0 as usize].accesses.push(access);
        }
        for operation in &mut self.open {
            // Whether a lock protects what is still open is not known yet.
            if !operation.shipped && operation.locks.is_empty() {
                operation.shipped = true;
                let access = self.accesses[operation.access];
                gathered[access.strand.rank.0 as usize].accesses.push(access);
            }
        }
        for (rank, owner, close) in std::mem::take(&mut self.closes) {
            gathered[rank.0 as usize].closes.push((owner, close));
        }
        for event in &self.events[self.unsent_events..] {
            gathered[event.strand.rank.0 as usize].events.push(*event);
        }
        self.unsent_events = self.events.len();
        for strand in &mut self.strands {
            // Points of one position are in no order among themselves, but for the cut: what flows to one after it does not flow to one before.
            strand.pos.0 += 1;
        }
        std::thread::scope(|scope| {
            for (analysis, gathered) in self.analyses.iter_mut().zip(gathered) {
                scope.spawn(move || analysis.cut(gathered).unwrap());
            }
        });
    }

    fn one_strand_of_each_rank(&self, how: u32) -> Vec<usize> {
        (0..self.ranks)
            .map(|r| {
                let mine: Vec<usize> = (0..self.strands.len())
                    .filter(|&s| self.strands[s].awake() && self.strands[s].strand.rank.0 == r)
                    .collect();
                mine[(how >> 5) as usize % mine.len()]
            })
            .collect()
    }

    pub fn finish(&mut self) -> (BTreeSet<SitePair>, BTreeSet<SitePair>) {
        // Nothing is held back at the end.
        for s in 0..self.strands.len() {
            for held in self.strands[s].locks.clone() {
                self.unlock(s, held.lock);
            }
        }
        let callers = self.one_strand_of_each_rank(0);
        self.barrier(&callers, true, true);
        let found = self
            .analyses
            .iter()
            .flat_map(|a| {
                a.races()
                    .map(|r| (r.first.site.min(r.second.site), r.first.site.max(r.second.site)))
                    .collect::<Vec<_>>()
            })
            .collect();
        (found, oracle::races(&self.accesses, &self.events, &self.locksets))
    }

    /// What the engine finds, which must be what the oracle finds.
    pub fn races(mut self) -> usize {
        let (found, expected) = self.finish();
        assert_eq!(found, expected);
        found.len()
    }
}

fn lock_number(lock: Lock) -> usize {
    let Lock::Symmetric(_, address) = lock else { unreachable!() };
    (address - 1000) as usize
}
