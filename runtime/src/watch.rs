//! Races between tasks of this rank, found while the program runs them one after the other: see the crate `tasks`.
//!
//! What a strand has touched comes here at its end: its footprint, and by lines what it did under locks or atomically. Memory of this process is told apart by address, whatever segment it is also part of;
//! memory of others, which only one-sided operations reach, has numbers of its own above all addresses.

use crate::crew::{Crew, Hand};
use crate::footprint::{Bits, Footprint, Place};
use crate::pairs::{Pair, Pairs};
use crate::rank::thread_of;
use crate::regions::Regions;
use crate::runs::Run;
use crate::trails::Trails;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use thrille_model::{
    Act, Atomic, Effect, Interval, Kind, Lock, LocksetId, Locksets, Mode as Hold, Object, Phase, Phases, Pos, Race,
    Rank, Segment, Side, StackId, Strand, Why,
};
use thrille_tasks::{Access, AnyDetector, Atomicity, Event, Guard, Guards, Mark, Mode, Rowing, SiteId, Touch};

/// Where memory of others is.
const FAR: u64 = 1 << 62;
/// Bytes of one part of it.
const PART: u64 = 1 << 44;

/// Why a program is not followed any further whose tasks wait for each other by flags.
const WAITS: &str = "a task reads by an acquiring atomic what a parallel task has written by a releasing one";

/// A line of the program that accesses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Line {
    pc: u64,
    kind: Kind,
    act: Act,
    locks: LocksetId,
}

impl Line {
    /// Whether it writes.
    fn writes(&self) -> bool {
        match self.kind {
            Kind::Atomic(atomic) => atomic.effect != Effect::Load,
            Kind::Write => true,
            Kind::Read | Kind::Await => false,
        }
    }
}

/// What makes the program's task graph one that the detector does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit(pub String);

/// Follows the tasks of a rank.
#[derive(Debug)]
pub struct Watch {
    mode: Mode,
    detector: AnyDetector,
    guards: Guards,
    held: FxHashMap<(LocksetId, Option<Atomicity>, Option<usize>), Guard>,
    lines: Vec<(Line, StackId)>,
    numbers: FxHashMap<Line, SiteId>,
    pairs: Pairs,
    trails: Trails,
    /// Whose memory each part of what is far away is.
    far: Vec<(Rank, Segment)>,
    /// Where this rank's parts of windows begin.
    windows: FxHashMap<u32, u64>,
    /// Memory that each thread has its own of: tasks of different threads do not share it.
    own: Vec<Interval>,
    /// The stack of the thread that runs the tasks.
    stack: Option<Interval>,
    /// The lowest address of it that may be remembered.
    stack_low: u64,
    /// Words that tasks wrote to let others go on, and who.
    words: FxHashMap<u64, Mark>,
    unfit: Option<Unfit>,
    /// How many tasks there have been.
    created: u64,
    /// How many of them used what their thread has for itself.
    bound: u64,
    /// For tasks that run on several threads, who are not the detector's then.
    pub crew: Option<Crew>,
}

impl Watch {
    /// No task has been created yet.
    pub fn new(mode: Mode) -> Self {
        Self {
            mode,
            detector: AnyDetector::new(mode),
            guards: Guards::default(),
            held: FxHashMap::default(),
            lines: Vec::new(),
            numbers: FxHashMap::default(),
            pairs: Pairs::default(),
            trails: Trails::default(),
            far: Vec::new(),
            windows: FxHashMap::default(),
            own: Vec::new(),
            stack: None,
            stack_low: u64::MAX,
            words: FxHashMap::default(),
            unfit: None,
            created: 0,
            bound: 0,
            crew: None,
        }
    }

    /// Tasks run on several threads.
    #[must_use]
    pub fn with_crew(self, crew: Crew) -> Self {
        Self { crew: Some(crew), ..self }
    }

    /// Memory that each thread has its own of, and the stack of the one that runs the tasks.
    #[must_use]
    pub fn with_memory(self, own: Vec<Interval>, stack: Option<Interval>) -> Self {
        Self { own, stack, ..self }
    }

    /// Whether accesses matter: some task may be parallel to what runs now, or to what comes later.
    pub fn looks(&self) -> bool {
        self.unfit.is_none() && self.crew.as_ref().map_or_else(|| !self.detector.is_serial(), |crew| crew.active)
    }

    /// Whether it wants to see each access by itself.
    pub(crate) fn looks_at_each(&self) -> bool {
        self.mode == Mode::Vanilla
    }

    /// A task was created.
    pub fn creates(&mut self) {
        self.created += 1;
    }

    /// The program does something that the detector cannot follow: it says no more. The first reason counts.
    pub fn give_up(&mut self, why: &str) {
        if self.unfit.is_none() {
            self.unfit = Some(Unfit(why.to_owned()));
        }
        if let Some(crew) = &mut self.crew {
            crew.gives_up();
        }
    }

    /// Whether a step would change nothing, so that what runs is the same strand before and after.
    pub(crate) fn stays(&self, event: Event) -> bool {
        self.detector.stays(event)
    }

    pub(crate) fn step(&mut self, event: Event) {
        self.created += u64::from(event == Event::Spawn);
        if self.unfit.is_none()
            && let Err(error) = self.detector.step(event)
        {
            self.give_up(&error.to_string());
        }
        if self.detector.is_serial() {
            self.words.clear();
            self.trails.clear();
        }
    }

    pub(crate) fn window(&mut self, number: u32, base: u64) {
        self.windows.insert(number, base);
    }

    /// Whether a task may wait for another one by this word, which is not what the detector knows of.
    pub(crate) fn released(&mut self, hand: Option<&Hand>, word: u64) {
        if let Some(crew) = &mut self.crew {
            return crew.released(hand, word);
        }
        let now = self.detector.now();
        self.words.insert(word, now);
    }

    pub(crate) fn acquired(&mut self, hand: Option<&Hand>, word: u64) {
        if self.crew.as_ref().is_some_and(|crew| crew.waits_by(hand, word)) {
            return self.give_up(WAITS);
        }
        if let Some(&by) = self.words.get(&word)
            && by != self.detector.now()
            && self.looks()
            && self.detector.parallel(by)
        {
            self.give_up(WAITS);
        }
    }

    /// Memory is gone, or new.
    pub(crate) fn forget(&mut self, lo: u64, hi: u64) {
        if self.looks()
            && self.crew.is_none()
            && let Ok(at) = Interval::from_bounds(lo, hi)
        {
            self.detector.forget(at);
        }
    }

    /// The stack below this address is gone.
    pub(crate) fn unwind(&mut self, to: u64) {
        if self.stack_low < to && self.stack.is_some_and(|stack| to <= stack.hi()) {
            self.forget(self.stack_low, to);
            // What lies above is the creator's.
            self.stack_low = to;
        }
    }

    /// The bytes in the one numbering that all memory has here.
    fn flat(&mut self, regions: &Regions, me: Rank, run: &Run) -> Option<Interval> {
        let near = match run.segment {
            crate::recorder::UNRESOLVED | Segment::Private => Some(run.lo),
            Segment::Window(number) if run.owner == me => self.windows.get(&number).map(|base| base + run.lo),
            segment => regions.address(run.owner, segment, run.lo),
        };
        let lo = near.unwrap_or_else(|| {
            let part = (run.owner, run.segment);
            let known = self.far.iter().position(|&far| far == part).unwrap_or_else(|| {
                self.far.push(part);
                self.far.len() - 1
            });
            FAR + known as u64 * PART + run.lo % PART
        });
        let at = Interval::from_len(lo, run.hi - run.lo).ok()?;
        (!self.own.iter().any(|own| own.covers(at))).then_some(at)
    }

    /// What keeps an access under these locks apart from others.
    fn guard(
        &mut self,
        locks: LocksetId,
        atomicity: Option<Atomicity>,
        thread: Option<usize>,
        locksets: &Locksets,
    ) -> Guard {
        if locks == LocksetId::EMPTY && atomicity.is_none() && thread.is_none() {
            return Guard::NONE;
        }
        let (guards, crew) = (&mut self.guards, &self.crew);
        *self.held.entry((locks, atomicity, thread)).or_insert_with(|| {
            let locks = locksets.get(locks).iter();
            let locks = locks.map(|held| lock_number(held.lock) | u64::from(held.mode == Hold::Shared));
            let locks = locks.chain(thread.map(|thread| {
                let mut hasher = FxHasher::default();
                ("thread", thread).hash(&mut hasher);
                hasher.finish() << 1
            }));
            match crew {
                Some(crew) => crew.pint.guards().of(locks, atomicity),
                None => guards.of(locks, atomicity),
            }
        })
    }

    /// A run in the words of the detectors; none if it touches what its thread has for itself.
    fn named(
        &mut self,
        thread: Option<usize>,
        regions: &Regions,
        me: Rank,
        locksets: &Locksets,
        run: &Run,
    ) -> Option<Access> {
        let at = self.flat(regions, me, run)?;
        if self.stack.is_some_and(|stack| stack.overlaps(at)) {
            self.stack_low = self.stack_low.min(at.lo());
        }
        let (touch, atomicity) = match run.kind {
            Kind::Read | Kind::Await => (Touch::Read, None),
            Kind::Write => (Touch::Write, None),
            Kind::Atomic(atomic) => {
                (if atomic.effect == Effect::Load { Touch::Read } else { Touch::Write }, Some(atomicity(atomic)))
            }
        };
        let guard = self.guard(run.locks, atomicity, thread, locksets);
        let line = Line { pc: run.pc, kind: run.kind, act: run.act, locks: run.locks };
        let lines = &mut self.lines;
        let site = *self.numbers.entry(line).or_insert_with(|| {
            lines.push((line, run.stack));
            SiteId(lines.len() as u32 - 1)
        });
        Some(Access { at, touch, guard, site })
    }

    /// The task that runs on this thread has touched these bytes.
    pub(crate) fn access(
        &mut self,
        hand: Option<&mut Hand>,
        regions: &Regions,
        me: Rank,
        locksets: &Locksets,
        run: &Run,
    ) {
        let thread = hand.as_ref().and_then(|hand| hand.thread());
        let Some(access) = self.named(thread, regions, me, locksets, run) else { return };
        if self.crew.is_some() {
            if let Some(hand) = hand {
                hand.core.stamp(run.phase.0);
                hand.core.access(access);
            }
            return;
        }
        let (pairs, phases) = (&mut self.pairs, Phases { lo: run.phase, hi: Some(run.until) });
        let (trails, lines) = (&self.trails, &self.lines);
        let writes = |site: SiteId| lines[site.0 as usize].0.writes();
        self.detector.access(&self.guards, &access, &mut |race| pairs.add(trails, writes, race, phases));
    }

    /// Whether each thread has its own memory there.
    pub(crate) fn has_own(&self, address: u64) -> bool {
        self.own.iter().any(|own| own.lo() <= address && address < own.hi())
    }

    /// A task uses what its thread has for itself.
    pub(crate) fn binds(&mut self) {
        self.bound += 1;
    }

    /// The strand of a task is over, or has touched enough for now: looks at what it has touched, under no lock. Whether it has touched what its thread has for itself.
    pub(crate) fn strand(&mut self, me: Rank, footprint: &mut Footprint, phases: Phases) -> bool {
        if footprint.is_empty() {
            return false;
        }
        let binds = self.own.iter().any(|&own| footprint.touches(own));
        let guard = if binds { self.guards.of([lock_number(thread_of(me))], None) } else { Guard::NONE };
        let (lines, numbers) = (&mut self.lines, &mut self.numbers);
        let (items, places) = footprint.logged(|place| number(lines, numbers, place));
        let name = |place: u32| SiteId(places[place as usize].name);
        if let Some(site) = self.trails.add(items, name) {
            let (pairs, trails, lines) = (&mut self.pairs, &self.trails, &self.lines);
            let writes = |site: SiteId| lines[site.0 as usize].0.writes();
            let (detector, guards, own, stack) = (&mut self.detector, &self.guards, &self.own, self.stack);
            let (mut stack_low, mut rowing) = (self.stack_low, Rowing::default());
            footprint.intervals([Bits::Read, Bits::Written, Bits::OnlyRead], |which, all| {
                without(own, all, |at| {
                    if stack.is_some_and(|stack| stack.overlaps(at)) {
                        stack_low = stack_low.min(at.lo());
                    }
                    let touch = if which == Bits::Written { Touch::Write } else { Touch::Read };
                    let access = Access { at, touch, guard, site };
                    if which != Bits::OnlyRead {
                        detector.check(guards, &access, &mut |race| pairs.add(trails, writes, race, phases));
                    }
                    match which {
                        Bits::OnlyRead => {
                            rowing.add(at, |row| detector.keep_row(&Access { at: row.first, ..access }, row));
                        }
                        Bits::Written => detector.keep(&access),
                        Bits::Read | Bits::Overwritten => {}
                    }
                });
            });
            rowing.end(|row| {
                detector.keep_row(&Access { at: row.first, touch: Touch::Read, guard, site }, row);
            });
            self.stack_low = stack_low;
            self.trails.looked_at(site);
        }
        footprint.clear();
        if self.trails.is_full() {
            let detector = &self.detector;
            self.trails.retain(|need| detector.sites(need));
        }
        binds
    }

    /// The same on one of several threads: what it has touched goes to the thread's core, and is looked at by others.
    pub(crate) fn strand_of(
        &mut self,
        hand: &mut Hand,
        footprint: &mut Footprint,
        phase: Phase,
        locksets: &Locksets,
    ) -> bool {
        if footprint.is_empty() {
            return false;
        }
        let binds = hand.touches_own(footprint);
        hand.bound |= binds;
        let guard = self.guard(LocksetId::EMPTY, None, hand.thread(), locksets);
        if hand.bound {
            hand.is_guarded_by(guard);
        }
        let (lines, numbers) = (&mut self.lines, &mut self.numbers);
        footprint.name(|place| number(lines, numbers, place));
        hand.learns(lines.iter().map(|(line, _)| line.writes()));
        hand.leaves(footprint, phase, guard);
        binds
    }

    /// The races, in the words of the report; `site` names places in the program.
    pub(crate) fn races(
        &self,
        regions: &Arc<Regions>,
        strand: Strand,
        locksets: &Locksets,
        mut site: impl FnMut(u64) -> thrille_model::Site,
    ) -> Vec<Race> {
        let found = self.crew.as_ref().map(Crew::findings).unwrap_or_default();
        let mut pairs: Vec<&Pair> = self.pairs.all().chain(&found).collect();
        pairs.sort_by_key(|pair| (pair.first.earlier.site, pair.first.later.site));
        let mut side = |found: thrille_tasks::Side, bytes: Interval, pair: &Pair| {
            let (line, stack) = self.lines[found.site.0 as usize];
            Side {
                strand,
                act: line.act,
                kind: line.kind,
                bytes,
                begin: Pos(0),
                end: None,
                phases: pair.phases,
                ctx: None,
                locks: locksets.get(line.locks).to_vec(),
                site: site(line.pc),
                stack,
                times: u32::try_from(pair.seen).unwrap_or(u32::MAX),
            }
        };
        let races = pairs.into_iter().filter_map(|pair| {
            let at = pair.first.bytes;
            let (owner, segment, offset) = self.place(regions, strand.rank, at.lo());
            let bytes = Interval::from_len(offset, at.len()).ok()?;
            let (first, second) = (side(pair.first.earlier, bytes, pair), side(pair.first.later, bytes, pair));
            let object = Object { owner, segment, offset, allocation: None };
            Some(Race { object, first, second, why: Why::Tasks, around: Vec::new(), seen: pair.seen })
        });
        races.collect()
    }

    fn place(&self, regions: &Regions, me: Rank, lo: u64) -> (Rank, Segment, u64) {
        if lo >= FAR {
            let (part, offset) = ((lo - FAR) / PART, (lo - FAR) % PART);
            if let Some(&(owner, segment)) = self.far.get(part as usize) {
                return (owner, segment, offset);
            }
        }
        match regions.find(lo, &mut 0) {
            Some(region) => (region.owner, region.segment, lo - region.start + region.offset),
            None => (me, Segment::Private, lo),
        }
    }

    /// What the reader of the report must know.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = vec![match &self.crew {
            Some(crew) => format!(
                "tasks were run by {} threads, and {} asked what could have run in parallel ({} tasks)",
                crew.threads, self.mode, self.created
            ),
            None => format!(
                "tasks were run by one thread, each where it was created, and {} asked what could have run in parallel ({} tasks); races \
                 between the threads of a region are not looked for: run without --tasks for those",
                self.mode, self.created
            ),
        }];
        if let Some(Unfit(why)) = &self.unfit {
            notes.push(format!(
                "the task graph is not one that {} knows: {why}. From there on races between tasks are not looked for: run without --tasks, \
                 which knows all of OpenMP",
                self.mode
            ));
        }
        match self.crew.as_ref().map_or_else(|| self.detector.irregular(), |crew| crew.pint.irregular()) {
            0 => {}
            waits => notes.push(format!(
                "{waits} times a task waited for its children while tasks that those had created could still run: the task graph is neither \
                 async-finish nor series-parallel, and {} may miss races of such tasks; run without --tasks for those",
                self.mode
            )),
        }
        if self.bound > 0 {
            notes.push(format!(
                "{} tasks used their thread's number or memory that each thread has its own of: two such tasks are taken not to run at the same time; \
                 run without --tasks for their races",
                self.bound
            ));
        }
        notes
    }
}

/// The number of a line that a footprint names.
fn number(lines: &mut Vec<(Line, StackId)>, numbers: &mut FxHashMap<Line, SiteId>, place: &Place) -> u32 {
    let line = Line { pc: place.pc, kind: place.kind, act: place.act, locks: LocksetId::EMPTY };
    let number = numbers.entry(line).or_insert_with(|| {
        lines.push((line, place.stack));
        SiteId(lines.len() as u32 - 1)
    });
    number.0
}

/// An even number for a lock.
fn lock_number(lock: Lock) -> u64 {
    let mut hasher = FxHasher::default();
    lock.hash(&mut hasher);
    hasher.finish() << 1
}

/// Atomics that are atomic towards each other.
fn atomicity(atomic: Atomic) -> Atomicity {
    let mut hasher = FxHasher::default();
    (atomic.domain, atomic.ty, atomic.op).hash(&mut hasher);
    Atomicity(hasher.finish())
}

/// Calls `visit` with the parts of some bytes that are in none of these intervals, which are few.
fn without(own: &[Interval], at: Interval, mut visit: impl FnMut(Interval)) {
    let (mut lo, hi) = (at.lo(), at.hi());
    while lo < hi {
        let inside = own.iter().find(|own| own.lo() <= lo && lo < own.hi());
        if let Some(inside) = inside {
            lo = inside.hi();
            continue;
        }
        let next = own.iter().map(|own| own.lo()).filter(|&next| lo < next).min().unwrap_or(hi).min(hi);
        if let Ok(part) = Interval::from_bounds(lo, next) {
            visit(part);
        }
        lo = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_thread_has_for_itself_is_left_out() {
        let at = |lo, hi| Interval::from_bounds(lo, hi).expect("bytes");
        let parts = |bytes: Interval| {
            let mut parts = Vec::new();
            without(&[at(20, 30), at(10, 14)], bytes, |part| parts.push((part.lo(), part.hi())));
            parts
        };
        assert_eq!(parts(at(0, 40)), [(0, 10), (14, 20), (30, 40)]);
        assert_eq!(parts(at(10, 30)), [(14, 20)]);
        assert_eq!(parts(at(22, 25)), []);
        assert_eq!(parts(at(50, 60)), [(50, 60)]);
    }
}
