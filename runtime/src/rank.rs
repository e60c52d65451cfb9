//! What the strands of one rank share.
//!
//! | state | invariant | written by |
//! |---|---|---|
//! | `knowledge` | of each strand, what of the rank's other strands it knows: exact or too little, never too much | the strand's own events |
//! | `events` | the log since the last cut; a strand's events in order | every synchronising call |
//! | `open` | operations that no strand of this rank has completed *and* settled | issue adds, completion and barriers take out |
//! | `accesses` | what goes to the owners at the next cut | completions, drained runs |
//!
//! A strand's runs are taken ([`Rank::drain`]) before each of its events once there is more than one strand: what it did is there before
//! anybody can come after it. While there is one strand only, it suffices to do so at a cut.
//!
//! *Phases.* With one strand, an access belongs to the phase it is in. With several, a strand that the barrier's caller does not
//! know of is not ordered by it: the upper bound stays open until a barrier's caller knows of the access ([`Status::settled`]).

mod atomics;
mod locks;
mod log;
mod records;
mod rest;
mod tasks;

use crate::blocks::Blocks;
use crate::callers::Callers;
use crate::carried::{Carried, Made};
use crate::modules::Modules;
use crate::open::{Open, Operations};
use crate::quarantine::{Kept, Quarantine};
use crate::recorder::{Recorder, UNRESOLVED};
use crate::regions::Regions;
use crate::runs::Run;
use crate::stacks::Walk;
use crate::underway::Use;
use crate::watch::Watch;
use locks::Epoch;
pub(crate) use locks::Section;
use rest::Life;
pub use rest::POOL;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
pub use tasks::Role;
pub(crate) use tasks::{Binding, thread_of};
use thrille_analysis::{Close, Gathered, Status};
use thrille_model::{
    Access, Act, Caller, Channel, Comb, Ctx, How, Interval, Kind, Lock, LocksetId, Locksets, Operation, Order, Phase,
    Phases, Place, Pos, Segment, Site, Span, Strand, Sync, SyncEvent, Token, Word, comb,
};
use thrille_tasks::pint::Block;

/// Events from which on it is asked what of them orders anything.
const LOGGED: usize = 1 << 14;

/// What a strand knows of its rank: of each strand all positions below a bound, and the phase.
#[derive(Clone, Debug, Default)]
struct Knowledge {
    strands: Vec<u64>,
    phase: Phase,
}

impl Knowledge {
    fn of(&self, strand: Strand) -> u64 {
        self.strands.get(strand.number() as usize).copied().unwrap_or(0)
    }

    fn learn(&mut self, strand: Strand, bound: u64) {
        let index = strand.number() as usize;
        if self.strands.len() <= index {
            self.strands.resize(index + 1, 0);
        }
        self.strands[index] = self.strands[index].max(bound);
    }

    fn join(&mut self, other: &Self) {
        if self.strands.len() < other.strands.len() {
            self.strands.resize(other.strands.len(), 0);
        }
        for (mine, theirs) in self.strands.iter_mut().zip(&other.strands) {
            *mine = (*mine).max(*theirs);
        }
        self.phase = self.phase.max(other.phase);
    }
}

/// Buffers of a strand's operations that are gone through at every completion. More are gone through when half as many again are done: until then the
/// strand takes some memory for used that is used no more, and makes more records than it must.
const FEW_LEFT: usize = 16;

/// What of the cuts before the log may order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Earlier {
    Nothing,
    Something,
}

/// One end of an operation.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Whose memory, which part, from which offset on.
    pub owner: thrille_model::Rank,
    /// Which part of it.
    pub segment: Segment,
    /// First byte.
    pub lo: u64,
    /// From there to the last.
    pub len: u64,
    /// Which of those.
    pub comb: Comb,
    /// How it is touched.
    pub kind: Kind,
    /// In the words of the report.
    pub act: Act,
}

/// What makes an end of an operation last.
#[derive(Clone, Copy, Debug)]
pub enum Operands {
    /// It is over when the call returns.
    Done,
    /// Until the context is completed, ordered before that as said.
    Until(Ctx, Order),
}

/// The state that a rank's strands share.
pub struct Rank {
    me: thrille_model::Rank,
    regions: Arc<Regions>,
    modules: Modules,
    strands: Vec<Strand>,
    knowledge: Vec<Knowledge>,
    lives: Vec<Life>,
    /// Of each strand, a position behind all of its records.
    recorded_below: Vec<u64>,
    tasks: tasks::Tasks,
    tokens: FxHashMap<Token, Knowledge>,
    words: atomics::Words,
    /// How often each lock of this process has been taken.
    sections: FxHashMap<Lock, u64>,
    /// The critical sections that strands are in, and since which phase.
    inside: Vec<(Strand, Lock, Phase)>,
    /// The locks of windows that this process has.
    epochs: Vec<Epoch>,
    /// How often one was taken or given back.
    lent: u64,
    locksets: Locksets,
    blocks: Blocks,
    quarantine: Quarantine,
    events: Vec<SyncEvent>,
    /// How many ranks there are; 0 if that is not known.
    pub ranks: u32,
    /// Events at which it is asked next what of them orders anything.
    next_look: usize,
    /// Whether the log may still order something that was told at earlier cuts.
    orders_earlier: Earlier,
    /// The tokens that were known at the last cut: not all of their releases are in the log.
    tokens_before: FxHashSet<Token>,
    /// Where the program called for them.
    callers: Callers,
    open: Operations,
    closes: Vec<(thrille_model::Rank, Close)>,
    windows: Vec<(u32, u64)>,
    accesses: Vec<Access>,
    /// Which events and records can still be moved.
    carried: Carried,
    /// The last of them, since somebody came to a global barrier: not known yet whether that one comes after them.
    recent: Vec<Access>,
    /// When to look again for what can be merged.
    next_merge: usize,
    /// The limit was reached since the last cut, and not much room could be made.
    full: bool,
    scratch: Vec<Run>,
    phase: Phase,
    settled: Vec<(Strand, Pos)>,
    limit: usize,
    /// Whether all of the program's loads and stores are observed: then what flows through a lock is seen, and nothing else of it orders.
    pub sees_flows: bool,
    /// Nothing is recorded: strands, phases and shared memory are followed, no more. For runs that confirm what another one recorded.
    pub muted: bool,
    /// How its strands find their call stacks, if the program does not tell of its calls.
    pub walk: Option<Walk>,
    /// Accesses that were dropped because there was no room.
    pub dropped: u64,
    /// Records made.
    pub recorded: u64,
    /// Operations on each other rank's memory, and their bytes.
    traffic: Vec<(u64, u64)>,
    /// Races between tasks, if somebody asks for them.
    pub watch: Option<Box<Watch>>,
}

impl Rank {
    /// A rank of which nothing has happened yet, and its first strand.
    pub fn new(me: thrille_model::Rank, regions: Regions, modules: Modules, limit: usize) -> (Self, Recorder) {
        let regions = Arc::new(regions);
        let mut new = Self {
            me,
            regions,
            modules,
            strands: Vec::new(),
            knowledge: Vec::new(),
            lives: Vec::new(),
            recorded_below: Vec::new(),
            tasks: tasks::Tasks::default(),
            tokens: FxHashMap::default(),
            words: atomics::Words::default(),
            sections: FxHashMap::default(),
            inside: Vec::new(),
            epochs: Vec::new(),
            lent: 0,
            locksets: Locksets::default(),
            blocks: Blocks::default(),
            quarantine: Quarantine::default(),
            events: Vec::new(),
            ranks: 0,
            next_look: LOGGED,
            orders_earlier: Earlier::Nothing,
            tokens_before: FxHashSet::default(),
            callers: Callers::default(),
            open: Operations::default(),
            closes: Vec::new(),
            windows: Vec::new(),
            accesses: Vec::new(),
            carried: Carried::default(),
            recent: Vec::new(),
            next_merge: records::MERGE,
            full: false,
            scratch: Vec::new(),
            phase: Phase(0),
            settled: Vec::new(),
            limit,
            sees_flows: true,
            muted: false,
            walk: None,
            dropped: 0,
            recorded: 0,
            traffic: Vec::new(),
            watch: None,
        };
        let main = Strand::thread(me, 0);
        new.add_strand(main, Knowledge::default());
        let recorder = Recorder::new(main, Arc::clone(&new.regions));
        (new, recorder)
    }

    fn add_strand(&mut self, strand: Strand, knowledge: Knowledge) {
        self.carried.end(Pos(0));
        self.strands.push(strand);
        self.knowledge.push(knowledge);
        self.lives.push(Life::Runs);
        self.recorded_below.push(0);
    }

    /// How many threads there have been.
    pub fn threads(&self) -> usize {
        self.strands.iter().filter(|strand| !strand.is_task()).count()
    }

    /// Global barriers passed.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The rank's loaded files.
    pub fn modules(&mut self) -> &mut Modules {
        &mut self.modules
    }

    /// Calls that synchronise and were not told before: number, place.
    pub fn fresh_callers(&mut self) -> Vec<(Caller, Site)> {
        let fresh = self.callers.fresh().into_iter();
        fresh.map(|(caller, pc)| (caller, self.modules.site(pc))).collect()
    }

    /// Records waiting for the next cut.
    pub fn held(&self) -> usize {
        self.accesses.len() + self.recent.len() + self.open.len()
    }

    fn single(&self) -> bool {
        self.strands.len() == 1
    }

    /// Whether all of the process's memory matters to what this strand does, not only what other ranks reach.
    fn all_memory(&self, strand: Strand) -> bool {
        !self.is_alone(strand) || self.watch.as_ref().is_some_and(|watch| watch.crew.is_some() && watch.looks())
    }

    /// Where some bytes are, with private memory as the block that it is now.
    fn place(&self, owner: thrille_model::Rank, segment: Segment, lo: u64, len: u64) -> Option<Place> {
        let (segment, lo) = if segment == UNRESOLVED { self.blocks.find(lo, len) } else { (segment, lo) };
        Interval::from_len(lo, len).ok().map(|bytes| Place::solid(owner, segment, bytes))
    }

    /// Private memory that is new to the process: whoever used its addresses before used something else.
    pub fn new_memory(&mut self, address: u64, len: u64) {
        if !self.single() && !self.muted {
            self.blocks.add(address, len);
        }
        if let Some(watch) = &mut self.watch {
            watch.forget(address, address.saturating_add(len));
        }
    }

    /// The same, that the strand has asked for.
    pub fn allocated(&mut self, recorder: &mut Recorder, address: u64, len: u64) {
        self.new_memory(address, len);
        recorder.gains();
        if let (Some(hand), Ok(at)) = (&mut recorder.hand, Interval::from_len(address, len)) {
            hand.core.renew(at);
        }
    }

    /// Private memory is given back: that is a write of all of it. True: it is given back later, by the detector of races between tasks, or by
    /// another call of this, which hands it to `give_back`.
    pub fn freed(
        &mut self,
        recorder: &mut Recorder,
        address: u64,
        usable: u64,
        pc: u64,
        give_back: impl Fn(u64),
    ) -> bool {
        // With one strand, blocks are not kept: only what is under way can still be using the memory.
        let (end, mut later) = (address.saturating_add(usable), false);
        if self.watch.as_ref().is_some_and(|watch| watch.looks()) {
            // What the strand has done to it before is another line.
            self.drain(recorder);
            let _ = recorder.touch(address, usable, Kind::Write, Act::LibraryCall, pc);
            self.drain(recorder);
            if let Some(watch) = &mut self.watch {
                watch.forget(address, end);
            }
            later = recorder.hand.as_mut().is_some_and(|hand| hand.core.free(Block { address, len: usable }));
        }
        if self.single() && !self.open.use_private(address, end) {
            return later;
        }
        self.drain(recorder);
        // What was allocated before there were threads is not known as a block.
        let len = if self.single() { usable } else { self.blocks.len_of(address).unwrap_or(usable) };
        if !self.is_followed(recorder) {
            let end = End {
                owner: self.me,
                segment: UNRESOLVED,
                lo: address,
                len,
                comb: Comb::SOLID,
                kind: Kind::Write,
                act: Act::LibraryCall,
            };
            self.end(recorder, end, pc, Operands::Done);
        }
        if self.single() {
            return later;
        }
        if !later && self.quarantine.keep(Kept { address, len }) {
            while let Some(Kept { address, len }) = self.quarantine.release() {
                self.blocks.renew(address, address.saturating_add(len));
                give_back(address);
            }
            return true;
        }
        self.blocks.renew(address, address.saturating_add(len));
        later
    }

    /// Anything a strand does that others may come after or that comes after others.
    fn event(&mut self, recorder: &mut Recorder, sync: Sync) {
        if !self.single() {
            self.drain(recorder);
        }
        recorder.see(&self.regions, self.all_memory(recorder.strand));
        let pos = recorder.tick();
        self.event_here(recorder, sync, pos);
    }

    fn event_here(&mut self, recorder: &Recorder, sync: Sync, pos: Pos) {
        if self.muted {
            return;
        }
        self.knowledge[recorder.strand.number() as usize].learn(recorder.strand, pos.0);
        self.carried.fix(pos);
        let at = self.callers.of(recorder.calling);
        self.events.push(SyncEvent { strand: recorder.strand, pos, sync, at });
        if self.events.len() >= self.next_look {
            self.shorten_log(pos);
        }
    }

    /// The log is long.
    #[cold]
    fn shorten_log(&mut self, pos: Pos) {
        if self.orders_earlier == Earlier::Nothing && self.ranks == 1 && self.has_crew() && self.orders_all() {
            // There is nothing that the log could order: what comes after something yet to happen is yet to happen as well.
            self.carried.end(pos);
            self.events.clear();
            self.accesses.clear();
            self.recent.clear();
        } else if !self.single() && self.held() < self.events.len() / 4 {
            self.carried.end(pos);
            let open = self.open.all().map(|open| (open.access.strand, open.access.begin)).collect::<Vec<_>>();
            let records = self.accesses.iter().chain(&self.recent).flat_map(|access| {
                let end = match access.span {
                    Span::Point => None,
                    Span::Operation(operation) => operation.end,
                };
                [Some(access.begin), end].into_iter().flatten().map(|pos| (access.strand, pos))
            });
            let (tokens, before) = (&self.tokens, &self.tokens_before);
            let is_over = |token: &Token| !tokens.contains_key(token) && !before.contains(token);
            log::shorten(&mut self.events, records.chain(open), is_over);
        }
        self.next_look = self.events.len() * 2 + LOGGED;
    }

    /// Whether what the strand does to private memory is PINT's alone: it is part of a task graph, and no operation of the rank is under way that could be using such memory.
    fn is_followed(&self, recorder: &Recorder) -> bool {
        self.open.is_empty()
            && self.watch.as_ref().is_some_and(|watch| watch.looks())
            && recorder.hand.as_ref().is_some_and(|hand| hand.core.strand().is_some())
    }

    /// Whether its tasks are followed on several threads.
    fn has_crew(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.crew.is_some())
    }

    /// Whether what is recorded comes before all that will happen, and is in order itself: all of it is of one strand, and the others know of it. Then it is part of no race.
    fn orders_all(&self) -> bool {
        if !self.open.is_empty() || !self.inside.is_empty() {
            return false;
        }
        let mut records = self.accesses.iter().chain(&self.recent);
        let Some(first) = records.next() else { return true };
        let of_one = |access: &Access| access.strand == first.strand && access.span == Span::Point;
        if !of_one(first) || !records.all(of_one) {
            return false;
        }
        let last = self.accesses.iter().chain(&self.recent).map(|access| access.begin.0).max().unwrap_or(0);
        let knows = |&strand: &Strand| {
            strand == first.strand
                || self.lives[strand.number() as usize] == Life::Gone
                || self.knowledge[strand.number() as usize].of(first.strand) > last
        };
        self.strands.iter().all(knows)
    }

    /// Whether a token is one of the rank's own, and its only strand alone could acquire it: whoever is created later comes after all that anyway.
    fn orders_nothing(&self, token: Token) -> bool {
        self.single() && matches!(token, Token::Local { .. })
    }

    /// Everything before comes before who acquires the token.
    pub fn release(&mut self, recorder: &mut Recorder, token: Token) {
        if self.orders_nothing(token) {
            return;
        }
        self.event(recorder, Sync::Release(token));
        if matches!(token, Token::Fork(_) | Token::Exit(_) | Token::Local { .. }) {
            let knows = &self.knowledge[recorder.strand.number() as usize];
            let known = self.tokens.len();
            self.tokens.entry(token).or_default().join(knows);
            if self.tokens.len() > known {
                self.forget_before(token);
            }
        }
    }

    /// Nobody needs what was released two rounds before: a line of tokens goes on when all have come for the last but one.
    fn forget_before(&mut self, token: Token) {
        if let Token::Local { rank, address, round } = token
            && round >= 2
        {
            self.tokens.remove(&Token::Local { rank, address, round: round - 2 });
        }
    }

    /// Everything after comes after all releases of the token.
    pub fn acquire(&mut self, recorder: &mut Recorder, token: Token) {
        if self.orders_nothing(token) {
            return;
        }
        self.event(recorder, Sync::Acquire(token));
        if let Some(known) = self.tokens.get(&token).cloned() {
            self.learn(recorder, &known);
        }
        match token {
            Token::Fork(_) | Token::Exit(_) => {
                self.tokens.remove(&token);
            }
            _ => self.forget_before(token),
        }
    }

    /// The same of a token that nobody acquires after this strand, and nobody releases.
    pub fn acquire_last(&mut self, recorder: &mut Recorder, token: Token) {
        self.acquire(recorder, token);
        self.tokens.remove(&token);
    }

    /// The same for who leaves it to somebody to acquire the token.
    pub fn peek(&mut self, recorder: &mut Recorder, token: Token) {
        self.event(recorder, Sync::Peek(token));
    }

    /// What this rank issued on the context is done for who acquires the token.
    pub fn hand_over(&mut self, recorder: &mut Recorder, ctx: Ctx, token: Token) {
        self.event(recorder, Sync::Handed(ctx, token));
    }

    fn learn(&mut self, recorder: &mut Recorder, known: &Knowledge) {
        let knowledge = &mut self.knowledge[recorder.strand.number() as usize];
        knowledge.join(known);
        recorder.phase = knowledge.phase;
        recorder.until = recorder.until.max(recorder.phase);
        self.borrow(recorder);
    }

    /// A one-sided update of a word of the job.
    pub fn update(
        &mut self,
        recorder: &mut Recorder,
        word: Word,
        made: Made,
        how: How,
        via: Option<Channel>,
        signals: bool,
    ) {
        if !self.single() {
            self.drain(recorder);
        }
        recorder.catch_up();
        let sync = Sync::Update { word, version: made.version, how, via, signals };
        if !self.single() || self.muted || self.carried.off {
            return self.event_here(recorder, sync, recorder.pos);
        }
        let at = self.callers.of(recorder.calling);
        let event = SyncEvent { strand: recorder.strand, pos: recorder.pos, sync, at };
        self.knowledge[recorder.strand.number() as usize].learn(recorder.strand, recorder.pos.0);
        self.carried.updated(&mut self.events, event, made, (how, via));
    }

    /// Writes down all that an only strand repeats: for tests that compare the two.
    pub fn write_down_repeats(&mut self) {
        self.carried.off = true;
    }

    /// The version of a word of which the rank has nothing to learn.
    pub fn knows(&self, word: Word) -> Option<u64> {
        self.carried.known(word).filter(|_| self.single())
    }

    /// A word of the job is changed by an instruction of the processor.
    pub fn signal(&mut self, recorder: &mut Recorder, word: Word, version: u64, how: How) {
        self.event(recorder, Sync::Update { word, version, how, via: None, signals: false });
    }

    /// A word of the job was seen.
    pub fn observe(&mut self, recorder: &mut Recorder, word: Word, version: u64) {
        self.observe_beyond(recorder, word, version, self.knows(word));
    }

    /// The same, of which the strand knew that version before the operation by which it saw this one.
    pub fn observe_beyond(&mut self, recorder: &mut Recorder, word: Word, version: u64, known: Option<u64>) {
        if known == Some(version) {
            if self.sees_flows {
                // What flows into the accesses that follow does not flow into those before.
                recorder.tick();
            }
            return;
        }
        self.event(recorder, Sync::Observe { word, version });
        if self.single() {
            self.carried.saw(word, version);
        }
    }

    /// Makes room in a strand's buffer, or binds it to its thread: what a full buffer asks for.
    pub fn make_room(&mut self, recorder: &mut Recorder) {
        self.drain(recorder);
        if recorder.asked() {
            self.bind(recorder);
        }
    }

    /// A strand is about to be created.
    pub fn fork(&mut self, recorder: &mut Recorder) -> Strand {
        self.drain(recorder);
        let child = Strand::thread(self.me, self.strands.len() as u32);
        self.add_strand(child, Knowledge::default());
        recorder.see(&self.regions, true);
        self.release(recorder, Token::Fork(child));
        child
    }

    /// It begins.
    pub fn begin(&mut self, child: Strand) -> Recorder {
        let mut recorder = Recorder::new(child, Arc::clone(&self.regions));
        recorder.see(&self.regions, true);
        recorder.stack.walk_with(self.walk);
        self.acquire(&mut recorder, Token::Fork(child));
        recorder
    }

    /// It could not be created after all.
    pub fn unborn(&mut self, child: Strand) {
        self.set(child, Life::Gone);
    }

    /// It ends.
    pub fn exit(&mut self, recorder: &mut Recorder) {
        self.drain(recorder);
        recorder.calling = 0;
        self.release(recorder, Token::Exit(recorder.strand));
        self.set(recorder.strand, Life::Gone);
    }

    /// Other memory is shared from now on. A strand notices at its next event, which anything new must come through to it by.
    pub fn share(&mut self, recorder: &mut Recorder, regions: Regions) {
        // What an operation that is under way uses may be private no more.
        recorder.crossed.private |= !self.open.is_empty();
        self.regions = Arc::new(regions);
        recorder.see(&self.regions, self.all_memory(recorder.strand));
    }

    /// This rank's part of a window begins at this address.
    pub fn window(&mut self, number: u32, base: u64) {
        if let Some(watch) = &mut self.watch {
            watch.window(number, base);
        }
        self.windows.push((number, base));
    }

    /// An operation is issued: its ends get a position of their own.
    pub fn issue(&mut self, recorder: &mut Recorder) {
        // Other strands of this rank may complete it: then its place among this strand's accesses matters.
        if self.single() {
            recorder.step();
            return;
        }
        if recorder.lent != self.lent {
            self.drain(recorder);
        }
        recorder.tick();
    }

    /// One end of the operation that was issued last.
    pub fn end(&mut self, recorder: &mut Recorder, end: End, pc: u64, lasts: Operands) {
        if self.muted {
            return;
        }
        let Some(place) = self.place(end.owner, end.segment, end.lo, end.len) else { return };
        let Ok(range) = Interval::from_len(end.lo, end.len) else { return };
        let (place, bytes) = (Place { comb: end.comb, ..place }, (range, end.comb));
        for tooth in comb::teeth(bytes) {
            let Some(watch) = self.watch.as_mut().filter(|watch| watch.looks()) else { break };
            let run = Run {
                pc,
                lo: tooth.lo(),
                hi: tooth.hi(),
                pos: recorder.pos,
                phase: recorder.phase,
                until: recorder.until,
                owner: end.owner,
                segment: end.segment,
                kind: end.kind,
                act: end.act,
                locks: recorder.locks,
                stack: recorder.stack.at(pc),
                times: 1,
            };
            watch.access(recorder.hand.as_deref_mut(), &self.regions, self.me, &self.locksets, &run);
        }
        let mut access = Access {
            place,
            kind: end.kind,
            strand: recorder.strand,
            begin: recorder.pos,
            span: Span::Point,
            phases: Phases { lo: recorder.phase, hi: None },
            locks: recorder.locks,
            act: end.act,
            site: self.modules.site(pc),
            stack: recorder.stack.at(pc),
            times: 1,
        };
        recorder.observed += 1;
        if end.owner != self.me {
            self.sent(end.owner, 1, end.comb.bytes(range));
        }
        let crosses = recorder.crosses(end.owner, end.segment, end.lo, end.lo.saturating_add(end.len));
        match lasts {
            Operands::Done => {
                access.phases.hi = self.single().then_some(recorder.until);
                let own = end.segment == UNRESOLVED && !recorder.crossed.private;
                if !own || !self.keeps_to_itself() {
                    self.keep_once(access, crosses);
                }
            }
            Operands::Until(ctx, order) => {
                access.span = Span::Operation(Operation { ctx, end: None, order });
                let uses = match end.segment {
                    UNRESOLVED => Use::Private(bytes),
                    segment => Use::Shared(end.owner, segment, bytes),
                };
                recorder.use_until_done(uses);
                let locks = recorder.all_held();
                self.open.add(ctx, Open { access, locks, uses, shipped: false, completed: None });
            }
        }
    }

    /// Whether nobody but the rank's only strand touches its private memory. What an operation did there matters then to what the strand did there
    /// meanwhile, and to nothing else.
    fn keeps_to_itself(&self) -> bool {
        self.single() && self.watch.is_none() && !self.carried.off
    }

    /// Adds the record of an operation that is over, unless it is that of an earlier one at another place.
    fn keep_once(&mut self, access: Access, crossed: bool) {
        // What flows into a section does so at the first access, not at the last.
        let flows = self.sees_flows && access.locks != LocksetId::EMPTY;
        if crossed || flows || !self.single() || self.carried.off {
            self.keep(access);
        } else if !self.carried.keep(&mut self.accesses, access) {
            return;
        }
        self.recorded += 1;
    }

    fn sent(&mut self, to: thrille_model::Rank, times: u64, bytes: u64) {
        let to = to.0 as usize;
        if self.traffic.len() <= to {
            self.traffic.resize(to + 1, (0, 0));
        }
        let (operations, sum) = &mut self.traffic[to];
        (*operations, *sum) = (*operations + times, *sum + bytes);
    }

    /// Operations on other ranks' memory: whose, how many, how many bytes.
    pub fn traffic(&self) -> Vec<(thrille_model::Rank, u64, u64)> {
        let rows =
            (0..).zip(&self.traffic).map(|(to, &(operations, bytes))| (thrille_model::Rank(to), operations, bytes));
        rows.filter(|&(_, operations, _)| operations > 0).collect()
    }

    /// What comes on this context later arrives later.
    pub fn fence(&mut self, recorder: &mut Recorder, ctx: Ctx) {
        self.carried.fence();
        self.event(recorder, Sync::Fence(ctx));
    }

    /// What this rank issued on the context, as far as the strand knows of it, is complete.
    pub fn quiet(&mut self, recorder: &mut Recorder, ctx: Ctx) {
        if self.watch.is_some() {
            // What was done while the operations were under way is told before they are not.
            self.drain(recorder);
        }
        if self.single() {
            recorder.step();
        } else {
            self.event(recorder, Sync::Quiet(ctx));
        }
        let (me, phase) = (recorder.strand, self.single().then_some(recorder.until));
        let done = self.open.take(me, ctx);
        recorder.outdated += done.len();
        for mut open in done {
            if let Span::Operation(operation) = &mut open.access.span {
                operation.end = Some(recorder.pos);
            }
            if open.access.begin <= recorder.epoch {
                // What follows comes after it, not just what follows the next event.
                recorder.catch_up();
            }
            let own = matches!(open.uses, Use::Private(..)) && !open.shipped && !recorder.crossed.private;
            if !own || !self.keeps_to_itself() {
                self.close(open, phase, recorder.crossed.any);
            }
        }
        let knows = &self.knowledge[me.number() as usize];
        for open in self.open.of_others(me, ctx).filter(|o| knows.of(o.access.strand) > o.access.begin.0) {
            open.completed.get_or_insert((me, recorder.pos));
        }
        if self.single() && !self.open.is_empty() {
            // Something else is still under way: the report may have to say that the wrong context was completed.
            self.event_here(recorder, Sync::Quiet(ctx), recorder.pos);
        }
        let left = self.open.private(me);
        if left > FEW_LEFT && recorder.outdated < left / 2 {
            return;
        }
        recorder.nothing_under_way();
        let crossed = std::mem::take(&mut recorder.crossed);
        self.open.uses(me, |uses| {
            recorder.crossed.any = crossed.any;
            recorder.crossed.private |= crossed.private && matches!(uses, Use::Private(..));
            recorder.use_until_done(uses);
        });
    }

    /// Hands a completed operation on to its owner.
    fn close(&mut self, open: Open, phase: Option<Phase>, crossed: bool) {
        let locks = self.locksets.intern(open.locks);
        let Span::Operation(operation) = open.access.span else { return };
        if open.shipped {
            let Access { strand, begin, place, .. } = open.access;
            self.closes
                .push((place.owner, Close { strand, begin, ctx: operation.ctx, end: operation.end, phase, locks }));
        } else {
            self.keep_once(
                Access { locks, phases: Phases { hi: phase, ..open.access.phases }, ..open.access },
                crossed,
            );
        }
    }

    /// A strand comes to a global barrier.
    pub fn enter_barrier(&mut self, recorder: &mut Recorder) {
        let next = Phase(self.phase.0 + 1);
        self.event(recorder, Sync::Release(Token::Phase(next)));
        recorder.until = next;
        let knows = &self.knowledge[recorder.strand.number() as usize];
        let settled = |(strand, pos): (Strand, Pos)| knows.of(strand) > pos.0;
        let done = self.open.extract(|open| open.completed.is_some_and(settled));
        self.settled.clear();
        self.settled.extend(self.strands.iter().zip(&knows.strands).map(|(&strand, &bound)| (strand, Pos(bound))));
        for open in done {
            self.close(open, Some(self.phase), true);
        }
        self.settle_recent(recorder.strand);
    }

    /// The barrier lets it go on.
    pub fn leave_barrier(&mut self, recorder: &mut Recorder) {
        self.pass_barriers(recorder, 1);
    }

    /// So do those that it has come to since, without doing anything in between: who comes to the first of them has come to all.
    pub fn pass_barriers(&mut self, recorder: &mut Recorder, count: u64) {
        self.phase.0 += count;
        self.event(recorder, Sync::Acquire(Token::Phase(self.phase)));
        let knowledge = &mut self.knowledge[recorder.strand.number() as usize];
        knowledge.phase = self.phase;
        (recorder.phase, recorder.until) = (self.phase, self.phase);
    }

    /// A strand passes a global barrier that waits for nobody: it is counted, so that all ranks count alike, and orders nothing.
    pub fn count_barrier(&mut self, recorder: &mut Recorder) {
        self.phase.0 += 1;
        recorder.tick();
        recorder.until = self.phase;
    }

    /// Everything that the owners of memory are to know since the last cut. At the end nothing is held back.
    pub fn gather(&mut self, recorder: &mut Recorder, last: bool, elapsed_ms: u64) -> Gathered {
        self.drain(recorder);
        self.carried.end(recorder.pos);
        let mut accesses = std::mem::take(&mut self.accesses);
        accesses.append(&mut self.recent);
        self.full = false;
        let mut watermark = (self.earliest().into_iter())
            .chain(self.inside.iter().map(|&(_, _, since)| since))
            .min()
            .unwrap_or(self.phase);
        let mut held_back = false;
        for open in self.open.all().filter(|o| !o.shipped) {
            // Whether a lock protects what is still open shows only when it is complete.
            if open.locks.is_empty() || last {
                open.shipped = true;
                let locks: LocksetId = self.locksets.intern(open.locks.clone());
                accesses.push(Access { locks, ..open.access });
                self.recorded += 1;
            } else {
                held_back = true;
                watermark = watermark.min(open.access.phases.lo);
            }
        }
        let status = Status {
            phase: self.phase,
            watermark,
            settled: std::mem::take(&mut self.settled),
            open: self.open.len() as u64,
            held_back,
            gathered: accesses.len() as u64,
            elapsed_ms,
        };
        Gathered {
            accesses,
            closes: std::mem::take(&mut self.closes),
            windows: std::mem::take(&mut self.windows),
            events: {
                // What may stay with its owner is ordered by the log.
                let alone = self.single() && self.open.is_empty();
                self.orders_earlier = if alone { Earlier::Nothing } else { Earlier::Something };
                self.next_look = LOGGED;
                self.tokens_before.clear();
                self.tokens_before.extend(self.tokens.keys());
                std::mem::take(&mut self.events)
            },
            locksets: self.locksets.clone(),
            status,
        }
    }
}
