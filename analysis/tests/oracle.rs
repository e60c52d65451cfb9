//! Random programs, run by a simulator that interleaves their strands, judged by the engine and by the oracle.
//!
//! The engine works as in a job: ranks exchange over a transport, at some of the global barriers, and forget. The oracle sees the
//! whole log at once. They must name the same pairs of lines.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::BTreeSet;
use thrille_analysis::{Analysis, Close, Gathered, Status};
use thrille_history::Store;
use thrille_model::oracle::{self, SitePair};
use thrille_model::*;
use thrille_transport::{Local, local};

const CTXS: u32 = 2;
const WORDS: u64 = 3;

/// One step of the program: a number that decides everything, so that shrinking is by fewer and smaller numbers.
type Step = (u8, u32);

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

struct World {
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
    fn new(ranks: u32) -> Self {
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

    fn tick(&mut self, s: usize) -> Pos {
        self.strands[s].pos.0 += 1;
        self.strands[s].pos
    }

    fn event(&mut self, s: usize, sync: Sync) {
        let pos = self.tick(s);
        self.event_at(s, pos, sync);
    }

    fn event_at(&mut self, s: usize, pos: Pos, sync: Sync) {
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
    fn access(&mut self, s: usize, owner: Rank, lo: u64, len: u64, kind: Kind, span: Span, site: Site) {
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
    fn quiet(&mut self, s: usize, ctx: Ctx) {
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

    fn unlock(&mut self, s: usize, lock: Lock) {
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

    fn lock(&mut self, s: usize, lock: Lock) {
        self.sections[lock_number(lock)] += 1;
        self.event(s, Sync::Lock(lock, self.sections[lock_number(lock)]));
        if !self.strands[s].in_section() {
            self.strands[s].locked_since = self.strands[s].phase;
        }
        self.strands[s].locks.push(Held { lock, mode: Mode::Exclusive });
    }

    fn share(&mut self, s: usize, lock: Lock) {
        self.event(s, Sync::Share(lock, self.sections[lock_number(lock)]));
        self.strands[s].locks.push(Held { lock, mode: Mode::Shared });
    }

    /// The first two words of a rank are counted together: each leaves out numbers of the other.
    fn counter(n: u64) -> usize {
        (n - u64::from(n % WORDS == 1)) as usize
    }

    fn word(n: u64) -> Word {
        Word { owner: Rank((n / WORDS) as u32), segment: Segment::Statics, offset: (n % WORDS) * 8 }
    }

    /// A store that counts, which a fence puts behind puts to the same rank, or who waits for one.
    fn store_or_wait(&mut self, s: usize, number: u64, via: Channel, site: Site, how: u32) {
        let (word, counter) = (Self::word(number), Self::counter(number));
        if how & (1 << 22) == 0 {
            self.access_word(s, word, Kind::Write, Span::Point, site);
            self.versions[counter] += 1;
            let (version, via) = (self.versions[counter], Some(via));
            self.event(s, Sync::Update { word, version, how: How::Set, via, signals: false });
        } else {
            self.tick(s);
            self.access_word(s, word, Kind::Await, Span::Point, site);
            self.event(s, Sync::Observe { word, version: self.versions[counter] });
        }
    }

    fn barrier(&mut self, callers: &[usize], completes: bool, cut: bool) {
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

    #[allow(clippy::too_many_lines, reason = "one arm a kind of step")]
    fn step(&mut self, (what, how): Step) {
        let alive: Vec<usize> = (0..self.strands.len()).filter(|&s| self.strands[s].awake()).collect();
        let s = alive[how as usize % alive.len()];
        let strand = self.strands[s].strand;
        let rank = strand.rank;
        let other = Rank((how >> 4) % self.ranks);
        let lo = u64::from((how >> 8) % 6);
        let len = 1 + u64::from((how >> 12) % 3);
        let ctx = Ctx((how >> 16) % CTXS);
        let word_number = u64::from(how >> 6) % (u64::from(self.ranks) * WORDS);
        let channel = Channel { origin: rank, ctx, target: other };
        let site = self.site(how >> 3);
        let operation = |order| Span::Operation(Operation { ctx, end: None, order });
        match what % 24 {
            0 | 1 => self.access(s, rank, lo, len, Kind::Read, Span::Point, site),
            2 | 3 => self.access(s, rank, lo, len, Kind::Write, Span::Point, site),
            4 | 5 => {
                self.tick(s);
                self.access(s, other, lo, len, Kind::Write, operation(Order::Fenced(channel)), site);
            }
            6 => {
                self.tick(s);
                self.access(s, other, lo, len, Kind::Read, Span::Point, site);
            }
            7 => {
                self.tick(s);
                self.access(s, other, lo, len, Kind::Read, operation(Order::None), site);
            }
            8 => self.event(s, Sync::Fence(ctx)),
            9 => self.quiet(s, ctx),
            10 | 11 => {
                // An update of a word, by its channel, now and then as the signal of a put.
                let word = Self::word(word_number);
                let channel = Channel { target: word.owner, ..channel };
                let pos = self.tick(s);
                let signals = how & (1 << 20) != 0;
                if signals {
                    self.access(s, word.owner, lo, len, Kind::Write, operation(Order::Signalled(channel)), site);
                }
                self.versions[World::counter(word_number)] += 1;
                let version = self.versions[World::counter(word_number)];
                let change = if how & (1 << 21) != 0 { How::Set } else { How::Modify };
                self.event_at(s, pos, Sync::Update { word, version, how: change, via: Some(channel), signals });
            }
            12 | 13 => {
                let version = self.versions[World::counter(word_number)];
                let word = Self::word(word_number);
                self.event(s, Sync::Observe { word, version });
            }
            14 => {
                let atomic = Atomic {
                    domain: Domain::Shmem,
                    ty: (how >> 22) as u8 % 2,
                    width: 2,
                    op: 0,
                    ordered: false,
                    effect: Effect::Update,
                };
                self.tick(s);
                self.access(s, other, lo & !1, 2, Kind::Atomic(atomic), operation(Order::Fenced(channel)), site);
            }
            15 => {
                let callers = self.one_strand_of_each_rank(how);
                self.barrier(&callers, how & (1 << 20) != 0, how & (1 << 21) != 0);
            }
            16 => {
                // A broadcast or an all-to-all among some ranks.
                self.collectives += 1;
                let token = Token::Collective { group: 7, seq: self.collectives };
                let members: Vec<usize> = self
                    .one_strand_of_each_rank(how)
                    .into_iter()
                    .filter(|&s| how >> (24 + self.strands[s].strand.rank.0) & 1 == 1)
                    .collect();
                let root_only = how & (1 << 20) != 0;
                for (i, &member) in members.iter().enumerate() {
                    if !root_only || i == 0 {
                        self.event(member, Sync::Release(token));
                    }
                }
                for (i, &member) in members.iter().enumerate() {
                    if !root_only || i > 0 {
                        self.event(member, Sync::Acquire(token));
                    }
                }
            }
            17 => {
                // A thread is created, or ends and is joined.
                let mine = self.strands.iter().filter(|o| o.strand.rank == rank).count();
                if mine < 3 && how & (1 << 20) != 0 {
                    let child = Strand { rank, index: mine as u32 };
                    self.event(s, Sync::Release(Token::Fork(child)));
                    let (knows, phase) = (self.strands[s].knows.clone(), self.strands[s].phase);
                    self.strands.push(Simulated {
                        strand: child,
                        pos: Pos(0),
                        alive: true,
                        resting: false,
                        knows,
                        phase,
                        locks: Vec::new(),
                        locked_since: phase,
                    });
                    let c = self.strands.len() - 1;
                    self.event(c, Sync::Acquire(Token::Fork(child)));
                } else if strand.index > 0 && self.strands[s].locks.is_empty() {
                    self.event(s, Sync::Release(Token::Exit(strand)));
                    self.strands[s].alive = false;
                    let joiner = self.strands.iter().position(|o| o.strand == Strand { rank, index: 0 }).unwrap();
                    let (knows, phase) = (self.strands[s].knows.clone(), self.strands[s].phase);
                    self.event(joiner, Sync::Acquire(Token::Exit(strand)));
                    for (mine, theirs) in self.strands[joiner].knows.iter_mut().zip(knows) {
                        *mine = (*mine).max(theirs);
                    }
                    self.strands[joiner].phase = self.strands[joiner].phase.max(phase);
                }
            }
            22 => {
                // A thread rests, or another of its rank wakes it.
                let resting = |o: &Simulated| o.resting && o.strand.rank == rank;
                if let Some(rested) = self.strands.iter().position(resting).filter(|_| how & (1 << 20) != 0) {
                    self.messages += 1;
                    let token = Token::Local { rank, address: 0, round: self.messages };
                    self.event(s, Sync::Release(token));
                    self.strands[rested].resting = false;
                    let (knows, phase) = (self.strands[s].knows.clone(), self.strands[s].phase);
                    self.event(rested, Sync::Acquire(token));
                    for (mine, theirs) in self.strands[rested].knows.iter_mut().zip(knows) {
                        *mine = (*mine).max(theirs);
                    }
                    self.strands[rested].phase = self.strands[rested].phase.max(phase);
                } else if strand.index > 0 && self.strands[s].locks.is_empty() {
                    self.strands[s].resting = true;
                }
            }
            21 => {
                // A put or store of a word that others may wait for, who does so, or a load or store of one.
                let word = Self::word(word_number);
                let channel = Channel { target: word.owner, ..channel };
                if how & (3 << 20) == 0 {
                    let kind = if how & (1 << 22) == 0 { Kind::Read } else { Kind::Write };
                    self.access_word(s, word, kind, Span::Point, site);
                    return;
                }
                if how & (3 << 20) == 1 << 20 {
                    self.store_or_wait(s, word_number, channel, site, how);
                    return;
                }
                let pos = self.tick(s);
                self.access_word(s, word, Kind::Write, operation(Order::Fenced(channel)), site);
                self.versions[World::counter(word_number)] += 1;
                let version = self.versions[World::counter(word_number)];
                let via = Some(channel);
                self.event_at(s, pos, Sync::Update { word, version, how: How::Set, via, signals: false });
            }
            23 => {
                // A message whose buffer is left to the library, at once or later; somebody looks at it or receives it.
                let (token, ctx) = match how >> 20 & 3 {
                    0 | 1 => {
                        self.messages += 1;
                        let token = Token::Message { group: 2, from: rank, to: other, tag: 0, seq: self.messages };
                        let ctx = Ctx(CTXS + self.messages as u32);
                        self.event(s, Sync::Release(token));
                        self.tick(s);
                        let until = Span::Operation(Operation { ctx, end: None, order: Order::None });
                        self.access(s, rank, lo, len, Kind::Read, until, site);
                        self.under_way.push((token, ctx));
                        if how & (1 << 20) == 0 {
                            return;
                        }
                        (token, ctx)
                    }
                    _ if self.under_way.is_empty() => return,
                    _ => self.under_way[(how >> 24) as usize % self.under_way.len()],
                };
                let Token::Message { from, to, .. } = token else { unreachable!() };
                let someone = self.one_strand_of_each_rank(how >> 2);
                match how >> 22 & 7 {
                    0..=2 => self.event(someone[from.0 as usize], Sync::Handed(ctx, token)),
                    3 | 4 => self.event(someone[to.0 as usize], Sync::Peek(token)),
                    _ => {
                        self.event(someone[to.0 as usize], Sync::Acquire(token));
                        self.under_way.retain(|&(other, _)| other != token);
                    }
                }
            }
            20 => {
                // A message; its receiver may pass on what it learned.
                let to = self.one_strand_of_each_rank(how >> 2)[other.0 as usize];
                self.messages += 1;
                let token = Token::Message { group: 1, from: rank, to: other, tag: 0, seq: self.messages };
                self.event(s, Sync::Release(token));
                self.event(to, Sync::Acquire(token));
            }
            _ => {
                let lock = Lock::Symmetric(Segment::Heap, 1000 + u64::from((how >> 18) % 2));
                let held = self.strands.iter().flat_map(|o| &o.locks).find(|h| h.lock == lock).map(|h| h.mode);
                if self.strands[s].locks.iter().any(|h| h.lock == lock) {
                    self.unlock(s, lock);
                } else if held != Some(Mode::Exclusive) && (how >> 19).is_multiple_of(3) {
                    self.share(s, lock);
                } else if held.is_none() {
                    self.lock(s, lock);
                }
            }
        }
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

    fn finish(&mut self) -> (BTreeSet<SitePair>, BTreeSet<SitePair>) {
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
}

fn lock_number(lock: Lock) -> usize {
    let Lock::Symmetric(_, address) = lock else { unreachable!() };
    (address - 1000) as usize
}

/// The same programs each time, but for the night.
fn seed() -> RngSeed {
    if std::env::var_os("THRILLE_NIGHTLY").is_some() { RngSeed::Random } else { RngSeed::Fixed(1) }
}

fn cases() -> u32 {
    if std::env::var_os("THRILLE_NIGHTLY").is_some() { 20_000 } else { 1_500 }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), rng_seed: seed(), ..ProptestConfig::default() })]
    #[test]
    fn the_engine_finds_what_the_oracle_finds(ranks in 1u32..8, steps in prop::collection::vec(any::<Step>(), 1..60)) {
        let mut world = World::new(ranks);
        for step in steps {
            world.step(step);
        }
        let (found, expected) = world.finish();
        prop_assert_eq!(found, expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases() / 3, rng_seed: seed(), ..ProptestConfig::default() })]
    /// Order by way of others: messages, words and threads, with a barrier now and then.
    #[test]
    fn order_by_way_of_third_ranks_is_found(ranks in 3u32..8, steps in prop::collection::vec((prop::sample::select(RELAYS), any::<u32>()), 20..90)) {
        let mut world = World::new(ranks);
        for step in steps {
            world.step(step);
        }
        let (found, expected) = world.finish();
        prop_assert_eq!(found, expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases() / 2, rng_seed: seed(), ..ProptestConfig::default() })]
    /// What flows through critical sections, which last beyond phases, and in which operations are under way.
    #[test]
    fn what_flows_through_sections_is_found(ranks in 1u32..4, steps in prop::collection::vec((prop::sample::select(SECTIONS), any::<u32>()), 8..50)) {
        let mut world = World::new(ranks);
        for step in steps {
            world.step(step);
        }
        let (found, expected) = world.finish();
        prop_assert_eq!(found, expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases() / 2, rng_seed: seed(), ..ProptestConfig::default() })]
    /// Threads that rest while others go from barrier to barrier.
    #[test]
    fn what_resting_threads_did_stays_in_order(ranks in 1u32..4, steps in prop::collection::vec((prop::sample::select(RESTS), any::<u32>()), 8..60)) {
        let mut world = World::new(ranks);
        for step in steps {
            world.step(step);
        }
        let (found, expected) = world.finish();
        prop_assert_eq!(found, expected);
    }
}

/// Steps of programs whose threads rest.
const RESTS: &[u8] = &[0, 1, 2, 3, 4, 9, 10, 12, 12, 15, 15, 15, 17, 17, 20, 22, 22, 22];

proptest! {
    #![proptest_config(ProptestConfig { cases: cases() / 2, rng_seed: seed(), ..ProptestConfig::default() })]
    /// Words that are put, waited for, loaded and stored.
    #[test]
    fn what_was_seen_is_done(ranks in 2u32..5, steps in prop::collection::vec((prop::sample::select(WORDS_SEEN), any::<u32>()), 8..60)) {
        let mut world = World::new(ranks);
        for step in steps {
            world.step(step);
        }
        let (found, expected) = world.finish();
        prop_assert_eq!(found, expected);
    }
}

/// Steps of programs that put words and wait for them.
const WORDS_SEEN: &[u8] = &[9, 10, 10, 12, 12, 12, 12, 15, 17, 20, 21, 21, 21, 21, 21, 21];

proptest! {
    #![proptest_config(ProptestConfig { cases: cases() / 2, rng_seed: seed(), ..ProptestConfig::default() })]
    /// Messages that their senders do not wait for.
    #[test]
    fn what_was_handed_over_is_done_where_it_was_received(ranks in 2u32..6, steps in prop::collection::vec((prop::sample::select(HANDED), any::<u32>()), 8..60)) {
        let mut world = World::new(ranks);
        for step in steps {
            world.step(step);
        }
        let (found, expected) = world.finish();
        prop_assert_eq!(found, expected);
    }
}

/// Steps of programs that leave the buffers of messages to the library.
const HANDED: &[u8] = &[2, 3, 3, 3, 5, 9, 15, 16, 17, 20, 20, 20, 23, 23, 23, 23, 23, 23, 23, 23];

/// Steps of programs that lock and unlock.
const SECTIONS: &[u8] = &[0, 1, 2, 3, 4, 5, 9, 9, 15, 15, 17, 17, 18, 18, 18, 18, 18, 18, 18, 20];

/// Steps of programs whose ranks pass things on.
const RELAYS: &[u8] = &[2, 3, 4, 5, 6, 8, 9, 9, 10, 10, 11, 12, 12, 13, 15, 16, 17, 17, 20, 20, 20, 20, 20, 20, 21, 21];

/// Programs written by hand, in which what matters is done by a rank that owns none of the accesses in question.
impl World {
    fn message(&mut self, from: usize, to: usize) {
        self.messages += 1;
        let (a, b) = (self.strands[from].strand.rank, self.strands[to].strand.rank);
        let token = Token::Message { group: 1, from: a, to: b, tag: 0, seq: self.messages };
        self.event(from, Sync::Release(token));
        self.event(to, Sync::Acquire(token));
    }

    fn update(&mut self, s: usize, word: Word, version: u64, how: How) {
        self.event(s, Sync::Update { word, version, how, via: None, signals: false });
    }

    fn point(&mut self, s: usize, owner: u32, kind: Kind, line: u64) {
        self.tick(s);
        self.access(s, Rank(owner), 0, 1, kind, Span::Point, Site { module: 0, offset: 2 * line + 1 });
    }

    fn thread(&mut self, s: usize) -> usize {
        let rank = self.strands[s].strand.rank;
        let index = self.strands.iter().filter(|o| o.strand.rank == rank).count() as u32;
        let child = Strand { rank, index };
        self.event(s, Sync::Release(Token::Fork(child)));
        let Simulated { knows, phase, .. } = &self.strands[s];
        let (knows, phase) = (knows.clone(), *phase);
        let (pos, locks) = (Pos(0), Vec::new());
        self.strands.push(Simulated {
            strand: child,
            pos,
            alive: true,
            resting: false,
            knows,
            phase,
            locks,
            locked_since: phase,
        });
        let c = self.strands.len() - 1;
        self.event(c, Sync::Acquire(Token::Fork(child)));
        c
    }

    fn races(mut self) -> usize {
        let (found, expected) = self.finish();
        assert_eq!(found, expected);
        found.len()
    }
}

#[test]
fn a_chain_of_ranks_orders_and_a_broken_one_does_not() {
    for (broken, races) in [(None, 0), (Some(1), 1), (Some(5), 1)] {
        let mut world = World::new(8);
        world.point(0, 7, Kind::Write, 0);
        for link in (0..7).filter(|link| Some(*link) != broken) {
            world.message(link, link + 1);
        }
        world.point(7, 7, Kind::Read, 1);
        assert_eq!(world.races(), races, "{broken:?}");
    }
}

#[test]
fn a_word_that_a_third_rank_set_tells_nothing_of_what_was_there() {
    for (how, races) in [(How::Set, 1), (How::Modify, 0)] {
        let mut world = World::new(3);
        let word = World::word(0);
        world.point(0, 1, Kind::Write, 0);
        world.update(0, word, 1, How::Modify);
        world.update(2, word, 2, how);
        world.update(1, word, 3, How::Modify);
        world.event(1, Sync::Observe { word, version: 3 });
        world.point(1, 1, Kind::Read, 1);
        assert_eq!(world.races(), races, "{how:?}");
    }
}

#[test]
fn third_ranks_tell_a_thread_of_an_operation_and_others_of_its_completion() {
    for (told, tells, races) in [(true, true, 0), (false, true, 1), (true, false, 1)] {
        let mut world = World::new(4);
        let thread = world.thread(0);
        world.tick(0);
        let put = Span::Operation(Operation { ctx: Ctx(1), end: None, order: Order::None });
        world.access(0, Rank(1), 0, 1, Kind::Write, put, Site { module: 0, offset: 1 });
        let callers = [0, 1, 2, 3];
        world.barrier(&callers, false, false);
        // Rank 2 knows of the operation by the barrier; the thread, which calls none, by rank 2.
        if told {
            world.message(2, thread);
        }
        world.event(thread, Sync::Quiet(Ctx(1)));
        if tells {
            world.message(thread, 3);
        }
        world.barrier(&callers, false, false);
        world.point(1, 1, Kind::Read, 1);
        assert_eq!(world.races(), races, "{told} {tells}");
    }
}

#[test]
fn a_signal_is_seen_by_a_third_rank_in_what_a_fourth_made_of_it() {
    for (seen, races) in [(true, 0), (false, 1)] {
        let mut world = World::new(5);
        let word = World::word(4 * WORDS);
        let channel = Channel { origin: Rank(1), ctx: Ctx(1), target: Rank(4) };
        let pos = world.tick(1);
        let put = Span::Operation(Operation { ctx: Ctx(1), end: None, order: Order::Signalled(channel) });
        world.access(1, Rank(4), 0, 1, Kind::Write, put, Site { module: 0, offset: 1 });
        let signal = Sync::Update { word, version: 1, how: How::Modify, via: Some(channel), signals: true };
        world.event_at(1, pos, signal);
        world.update(3, word, 2, How::Modify);
        if seen {
            world.event(2, Sync::Observe { word, version: 2 });
        }
        world.barrier(&[0, 1, 2, 3, 4], false, false);
        world.point(0, 4, Kind::Write, 1);
        assert_eq!(world.races(), races, "{seen}");
    }
}

#[test]
fn a_third_rank_tells_of_the_receive_and_not_of_a_look() {
    for (received, told, races) in [(true, true, 0), (false, true, 1), (true, false, 1)] {
        let mut world = World::new(3);
        let token = Token::Message { group: 2, from: Rank(0), to: Rank(1), tag: 0, seq: 1 };
        world.event(0, Sync::Release(token));
        world.tick(0);
        let until = Span::Operation(Operation { ctx: Ctx(9), end: None, order: Order::None });
        world.access(0, Rank(0), 0, 1, Kind::Read, until, Site { module: 0, offset: 1 });
        world.event(0, Sync::Handed(Ctx(9), token));
        world.event(1, if received { Sync::Acquire(token) } else { Sync::Peek(token) });
        if told {
            world.message(1, 2);
        }
        world.message(2, 0);
        world.point(0, 0, Kind::Write, 1);
        world.event(1, if received { Sync::Peek(token) } else { Sync::Acquire(token) });
        assert_eq!(world.races(), races, "{received} {told}");
    }
}

#[test]
fn what_flows_into_an_operation_under_way_at_a_cut_is_waited_for() {
    for (completed, races) in [(true, 0), (false, 2)] {
        let mut world = World::new(1);
        let thread = world.thread(0);
        let lock = Lock::Symmetric(Segment::Heap, 1000);
        world.point(0, 0, Kind::Write, 0);
        world.lock(0, lock);
        world.tick(0);
        world.access(0, Rank(0), 4, 1, Kind::Write, Span::Point, Site { module: 0, offset: 21 });
        world.unlock(0, lock);
        world.lock(thread, lock);
        world.tick(thread);
        let put = Span::Operation(Operation { ctx: Ctx(1), end: None, order: Order::None });
        world.access(thread, Rank(0), 4, 1, Kind::Write, put, Site { module: 0, offset: 31 });
        world.point(thread, 0, Kind::Read, 1);
        world.barrier(&[0], false, true);
        if completed {
            world.quiet(thread, Ctx(1));
        }
        world.unlock(thread, lock);
        assert_eq!(world.races(), races, "{completed}");
    }
}

#[test]
fn what_was_written_under_a_shared_lock_flows_to_who_has_it_alone_later() {
    for (kind, barrier, races) in [(Kind::Write, false, 0), (Kind::Read, false, 1), (Kind::Write, true, 1)] {
        let mut world = World::new(2);
        let thread = world.thread(1);
        let lock = Lock::Symmetric(Segment::Heap, 1000);
        world.share(0, lock);
        world.tick(0);
        world.access(0, Rank(1), 4, 1, kind, Span::Point, Site { module: 0, offset: 21 });
        if barrier {
            world.barrier(&[0, 1], false, true);
        }
        world.point(0, 1, Kind::Write, 0);
        world.unlock(0, lock);
        world.lock(thread, lock);
        world.tick(thread);
        world.access(thread, Rank(1), 4, 1, Kind::Write, Span::Point, Site { module: 0, offset: 31 });
        world.unlock(thread, lock);
        world.point(thread, 1, Kind::Read, 1);
        assert_eq!(world.races(), races, "{kind:?} {barrier}");
    }
}
