//! Who is where. Told what strands do, it says who goes on, and witnesses what meets. No clock and no socket: time is what it is told.
//!
//! | state | invariant |
//! |---|---|
//! | `present` | accesses whose strands stand before them, and operations issued and not let into completion: never more than there are |
//! | `strands` | of those that are not held, what they last said; `Running` where nothing was said since the watch began |
//! | `witnesses` | of each candidate the first meeting |
//!
//! *Nobody waits for nothing.* A strand is held for a bounded time. When all strands that are not held are inside calls, and nothing has
//! changed for a few milliseconds ([`Policy::quiet`]), nobody can come: the policy names one that goes on. Calls may return by themselves at any moment, hence the
//! short wait; a strand that spins on memory looks as if it ran, and for that there is the bound.

use crate::candidate::{Candidate, LiveSite, Side, Spot};
use crate::policy::{At, Moment, Policy};
use crate::protocol::{Arrival, Doing, Life};
use crate::schedule::{Late, Schedule, Turn};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use thrille_model::{Access, Place, Rank, Segment, Site, Strand, conflict};

/// How long the second side of an order waits for the first to be done.
const SECOND_WAITS: Duration = Duration::from_millis(300);
/// How long the first waits for the second to be done.
const SECOND_TAKES: Duration = Duration::from_millis(50);
/// How long the strands are watched after the last one was held.
const WATCH: Duration = Duration::from_millis(100);
/// Accesses that are remembered after they have gone.
const REMEMBERED: usize = 256;

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A strand goes on.
    Go {
        /// Who.
        strand: Strand,
        /// It waited in vain.
        missed: bool,
        /// It is to say when it is done.
        report: bool,
    },
    /// All ranks are to say what their strands do, or need not any more.
    Watch(bool),
    /// These places are of no interest any more.
    Off(Vec<u32>),
}

/// One side of a meeting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Who, where, which execution.
    pub turn: Turn,
    /// Called from where, innermost first.
    pub stack: Vec<Site>,
}

impl Part {
    /// Its strand comes late to the phase.
    fn late(&self) -> Late {
        Late { strand: self.turn.strand, phase: self.turn.phase }
    }
}

/// How the two were there at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// Each strand stood before its access.
    BothStood,
    /// This side's operation had been issued and not completed when the other strand came.
    Open(Side),
    /// The same, and the other access was of the same strand.
    OwnOpen(Side),
}

/// A race that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// Sides a and b.
    pub parts: [Part; 2],
    /// How they overlapped.
    pub overlap: Overlap,
    /// Who went first, if the policy said so.
    pub first: Option<Side>,
    /// Who came second.
    pub second: Side,
}

impl Witness {
    /// What reproduces it.
    pub fn schedule(&self, ranks: u32) -> Schedule {
        let [a, b] = self.parts.each_ref().map(|part| part.turn);
        Schedule { ranks, a, b, first: self.first, late: self.late() }
    }

    /// The strand that came second, if there are two: who is late comes later. Not the thread of a task, which may get another one.
    pub fn late(&self) -> Option<Late> {
        let [a, b] = &self.parts;
        let second = &self.parts[self.second.index()];
        (a.turn.strand != b.turn.strand && second.turn.task.is_none()).then(|| second.late())
    }
}

/// What came of a candidate in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How often each side came.
    pub arrived: [u32; 2],
    /// How often one strand of each side executed its place.
    pub most: [u32; 2],
    /// How often each side came to bytes that the other had been at, and was gone from.
    pub late: [u32; 2],
    /// Those of them before which the other had been held until nobody could move: this side waited for it inside a call.
    pub in_call: [u32; 2],
    /// Who was gone the last time that the other came, and who came.
    pub apart: Option<[Late; 2]>,
}

/// Why a strand is let go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// It has met the other side, or need not wait.
    Done,
    /// It has waited long enough.
    TimeOver,
    /// All others wait inside calls.
    NobodyMoves,
}

#[derive(Debug)]
struct Present {
    id: u64,
    spot: Spot,
    live: u32,
    turn: Turn,
    access: Access,
    /// The operation's number in its rank.
    operation: Option<u64>,
    stack: Vec<Site>,
}

impl Present {
    fn part(&self) -> Part {
        Part { turn: self.turn, stack: self.stack.clone() }
    }
}

#[derive(Debug)]
enum What {
    /// Before a present access.
    Access(u64),
    /// Before the completion of these operations of its rank.
    Completing(Vec<u64>),
    /// Behind an access that it was to be first at, until the second has been there too.
    Behind,
    /// At the beginning of a phase that it is to be late in.
    Late,
}

#[derive(Debug)]
struct Held {
    what: What,
    misses: u32,
    until: Duration,
    /// It goes when this access of another strand is done.
    behind: Option<(Strand, Option<u64>)>,
}

#[derive(Debug)]
enum State {
    Running,
    InCall,
    Held(Held),
}

/// The state machine.
pub struct Floor {
    candidates: Vec<Candidate>,
    live: Vec<LiveSite>,
    /// Who is late, and how long at most.
    late: Option<(Late, Duration)>,
    off: BTreeSet<u32>,
    ranks: u32,
    joined: BTreeSet<u32>,
    /// Ranks whose first strand has begun.
    begun: BTreeSet<u32>,
    strands: BTreeMap<Strand, State>,
    present: Vec<Present>,
    gone: Vec<(Spot, Access, Cause)>,
    windows: FxHashMap<(Rank, u32), u64>,
    witnesses: Vec<Option<Witness>>,
    tallies: Vec<Tally>,
    policy: Box<dyn Policy>,
    ids: u64,
    pace: u32,
    changed: Duration,
    last_held: Duration,
    watched: bool,
    actions: Vec<Action>,
}

impl Floor {
    /// For a job of so many ranks, looking for these candidates at these places.
    pub fn new(ranks: u32, candidates: Vec<Candidate>, live: Vec<LiveSite>, policy: Box<dyn Policy>) -> Self {
        let number = candidates.len();
        Self {
            candidates,
            live,
            late: None,
            off: BTreeSet::new(),
            ranks,
            joined: BTreeSet::new(),
            begun: BTreeSet::new(),
            strands: BTreeMap::new(),
            present: Vec::new(),
            gone: Vec::new(),
            windows: FxHashMap::default(),
            witnesses: vec![None; number],
            tallies: vec![Tally::default(); number],
            policy,
            ids: 0,
            pace: 1,
            changed: Duration::ZERO,
            last_held: Duration::ZERO,
            watched: false,
            actions: Vec::new(),
        }
    }

    /// This strand is late, by so long at most: as long as the others may take to come to where they wait for it.
    #[must_use]
    pub fn with_late(self, late: Option<Late>, at_most: Duration) -> Self {
        Self { late: late.map(|late| (late, at_most)), ..self }
    }

    /// So many times as long as on an idle machine it takes until somebody who can move has moved.
    pub fn pace(&mut self, pace: u32) {
        self.pace = pace.clamp(1, 12);
    }

    /// Who is late.
    pub fn late(&self) -> Option<Late> {
        self.late.map(|(late, _)| late)
    }

    /// The live places, for those who join.
    pub fn live(&self) -> &[LiveSite] {
        &self.live
    }

    /// The live places that are of no interest any more.
    pub fn off(&self) -> Vec<u32> {
        self.off.iter().copied().collect()
    }

    /// Of each candidate the first meeting.
    pub fn witnesses(&self) -> &[Option<Witness>] {
        &self.witnesses
    }

    /// Of each candidate what came.
    pub fn tallies(&self) -> &[Tally] {
        &self.tallies
    }

    /// How many ranks have joined.
    pub fn joined(&self) -> usize {
        self.joined.len()
    }

    /// What is to be done since the last call.
    pub fn actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    /// A rank joins.
    pub fn join(&mut self, now: Duration, rank: u32) {
        self.changed = now;
        self.joined.insert(rank);
        if self.watched {
            self.actions.push(Action::Watch(true));
        }
    }

    /// A rank is gone, with all its strands.
    pub fn leave(&mut self, now: Duration, rank: u32) {
        self.changed = now;
        let of_rank = |strand: &Strand| strand.rank.0 == rank;
        self.strands.retain(|strand, _| !of_rank(strand));
        self.present.retain(|present| !of_rank(&present.access.strand));
        self.release_behind(|first| of_rank(&first));
    }

    /// A strand begins or ends.
    pub fn strand(&mut self, now: Duration, strand: Strand, life: Life) {
        self.changed = now;
        match life {
            Life::Begins => {
                self.begun.insert(strand.rank.0);
                self.strands.entry(strand).or_insert(State::Running);
            }
            Life::Ends => {
                self.strands.remove(&strand);
                self.present.retain(|p| p.access.strand != strand || p.operation.is_some());
                self.release_behind(|first| first == strand);
            }
        }
    }

    /// A rank's part of a window is at an address.
    pub fn window(&mut self, rank: u32, number: u32, base: u64) {
        self.windows.insert((Rank(rank), number), base);
    }

    /// What a strand does.
    pub fn doing(&mut self, now: Duration, strand: Strand, doing: Doing) {
        let state = self.strands.entry(strand).or_insert(State::Running);
        match (state, doing) {
            // Said before it was held, and overtaken.
            (State::Held(_), _) => {}
            (state, Doing::Running) => {
                *state = State::Running;
                self.changed = now;
            }
            (state, Doing::InCall) => {
                *state = State::InCall;
                self.changed = now;
            }
        }
    }

    /// A strand stands at a live place.
    pub fn arrived(&mut self, now: Duration, arrival: Arrival) {
        self.changed = now;
        let Arrival { live, task, times, misses, mut access, operation, stack } = arrival;
        let strand = access.strand;
        let Some(spot) = self.live.get(live as usize).map(|site| site.spot) else {
            self.actions.push(Action::Go { strand, missed: false, report: false });
            return;
        };
        let turn = Turn { spot, strand, task, times, phase: access.phases.lo.0, bytes: offsets(access.place) };
        access.place = self.address(access.place);
        self.count(spot, times, &access);
        self.ids += 1;
        let id = self.ids;
        self.present.push(Present { id, spot, live, turn, access, operation, stack });
        let held = Held { what: What::Access(id), misses, until: now, behind: None };
        self.strands.insert(strand, State::Held(held));

        let met = self.meetings(id);
        if met.is_empty() {
            let moment = if operation.is_some() { Moment::Issue } else { Moment::Point };
            self.hold_or_go(now, strand, &At { strand, live: Some(live), moment, misses }, self.waits_at(spot));
            return;
        }
        let mut stays = false;
        for (candidate, mine, other) in met {
            stays |= self.meet(now, candidate, mine, id, other);
        }
        if !stays {
            self.let_go(strand, Cause::Done);
        }
        self.switch_off();
    }

    /// A strand is about to complete operations of its rank.
    pub fn completing(&mut self, now: Duration, strand: Strand, operations: Vec<u64>) {
        self.changed = now;
        let of_these =
            |p: &&Present| p.access.strand.rank == strand.rank && p.operation.is_some_and(|o| operations.contains(&o));
        let wanted = self.present.iter().filter(of_these).any(|p| self.waits_at(p.spot));
        let awaited = operations.iter().any(|&o| self.is_awaited(strand.rank, o));
        let held = Held { what: What::Completing(operations), misses: 0, until: now, behind: None };
        self.strands.insert(strand, State::Held(held));
        let at = At { strand, live: None, moment: Moment::Completing, misses: 0 };
        self.hold_or_go(now, strand, &at, wanted && !awaited);
    }

    /// A strand has done what it was let go for. If somebody waited for that, it goes on when they have done theirs.
    pub fn passed(&mut self, now: Duration, strand: Strand) {
        self.changed = now;
        let held = Held { what: What::Behind, misses: 0, until: now + SECOND_TAKES, behind: None };
        self.strands.insert(strand, State::Held(held));
        let seconds = self.seconds(|first| first == strand);
        // Those that it waited for itself have passed; who waits for it now is the last of the next.
        if let (Some(&second), Some(State::Held(held))) = (seconds.last(), self.strands.get_mut(&strand)) {
            held.behind = Some((second, None));
        }
        let waits = !seconds.is_empty() && !seconds.iter().all(|&second| self.is_behind(second));
        for second in seconds {
            self.let_go(second, Cause::Done);
        }
        if !waits {
            self.let_go(strand, Cause::Done);
        }
    }

    /// The strand that is to be late has come to where it waits: until somebody waits for it, or nobody can move.
    pub fn comes_late(&mut self, now: Duration, strand: Strand) {
        self.changed = now;
        let awaited = self.held().any(|(who, held)| !self.passes(&self.at(who, held)));
        let held = Held {
            what: What::Late,
            misses: 0,
            until: now + self.late.map_or(Duration::ZERO, |(_, most)| most),
            behind: None,
        };
        self.strands.insert(strand, State::Held(held));
        if awaited {
            self.let_go(strand, Cause::Done);
        }
    }

    /// Time has passed.
    pub fn tick(&mut self, now: Duration) {
        let late: Vec<Strand> = self.held().filter(|(_, held)| held.until <= now).map(|(strand, _)| strand).collect();
        for strand in late {
            self.let_go(strand, Cause::TimeOver);
            self.changed = now;
        }
        if self.nobody_moves() && now >= self.changed + self.quiet() {
            self.break_stall();
            self.changed = now;
        }
        if self.held().next().is_some() {
            self.last_held = now;
            if !self.watched {
                self.watch(true);
            }
        } else if self.watched && now >= self.last_held + WATCH {
            self.watch(false);
        }
    }

    /// When the next [`Floor::tick`] is due, if nothing else happens.
    pub fn deadline(&self) -> Option<Duration> {
        let until = self.held().map(|(_, held)| held.until).min();
        let stall = self.nobody_moves().then_some(self.changed + self.quiet());
        let watch = self.watched.then_some(self.last_held + WATCH);
        [until, stall, watch].into_iter().flatten().min()
    }

    /// Everybody goes on, whoever is held.
    pub fn release_all(&mut self) {
        let all: Vec<Strand> = self.held().map(|(strand, _)| strand).collect();
        for strand in all {
            self.let_go(strand, Cause::TimeOver);
        }
    }

    fn quiet(&self) -> Duration {
        self.policy.quiet() * self.pace
    }

    fn held(&self) -> impl Iterator<Item = (Strand, &Held)> {
        self.strands.iter().filter_map(|(&strand, state)| match state {
            State::Held(held) => Some((strand, held)),
            State::Running | State::InCall => None,
        })
    }

    fn watch(&mut self, yes: bool) {
        self.watched = yes;
        self.actions.push(Action::Watch(yes));
        for state in self.strands.values_mut() {
            // What was said before is stale.
            if matches!(state, State::InCall) {
                *state = State::Running;
            }
        }
    }

    fn nobody_moves(&self) -> bool {
        let all_here = self.begun.len() >= self.ranks as usize;
        let all_wait = self.strands.values().all(|state| !matches!(state, State::Running));
        self.watched && all_here && all_wait && self.held().next().is_some()
    }

    fn break_stall(&mut self) {
        // Somebody waits for a first side that cannot get done before it.
        let second = self.held().find(|(_, held)| held.behind.is_some()).map(|(strand, _)| strand);
        if let Some(second) = second {
            self.let_go(second, Cause::Done);
            return;
        }
        // An operation that is issued stays present; who stands before an access waits for the one that is late.
        let late = self.waits_late();
        let others = self.held().filter(|(strand, _)| Some(*strand) != late);
        let held: Vec<At> = others.map(|(strand, held)| self.at(strand, held)).collect();
        if let (Some(late), false) = (late, held.iter().any(|at| self.passes(at))) {
            self.let_go(late, Cause::Done);
            return;
        }
        let chosen = self.policy.stalled(&held).min(held.len() - 1);
        let strand = held[chosen].strand;
        self.let_go(strand, Cause::NobodyMoves);
    }

    fn at(&self, strand: Strand, held: &Held) -> At {
        let misses = held.misses;
        match held.what {
            What::Completing(_) | What::Behind | What::Late => {
                At { strand, live: None, moment: Moment::Completing, misses }
            }
            What::Access(id) => {
                let present = self.present.iter().find(|p| p.id == id);
                let moment = if present.is_some_and(|p| p.operation.is_some()) { Moment::Issue } else { Moment::Point };
                At { strand, live: present.map(|p| p.live), moment, misses }
            }
        }
    }

    /// Windows are addresses of their owner: they may overlap each other and anything else.
    fn address(&self, place: Place) -> Place {
        let Segment::Window(number) = place.segment else { return place };
        let Some(&base) = self.windows.get(&(place.owner, number)) else { return place };
        let Ok(bytes) = thrille_model::Interval::from_len(base.saturating_add(place.bytes.lo()), place.bytes.len())
        else {
            return place;
        };
        Place { segment: Segment::Private, bytes, ..place }
    }

    fn open(&self, candidate: usize) -> bool {
        self.witnesses[candidate].is_none()
    }

    fn wanted(&self, spot: Spot) -> bool {
        let of_spot = |c: &Candidate| c.sides_of(spot).next().is_some();
        (0..self.candidates.len()).any(|index| self.open(index) && of_spot(&self.candidates[index]))
    }

    /// Whether a strand there waits for another one.
    fn waits_at(&self, spot: Spot) -> bool {
        let mut open = self.candidates.iter().enumerate().filter(|&(index, _)| self.open(index));
        open.any(|(_, candidate)| !candidate.alone && candidate.sides_of(spot).next().is_some())
    }

    fn count(&mut self, spot: Spot, times: u32, access: &Access) {
        for (candidate, tally) in self.candidates.iter().zip(&mut self.tallies) {
            for side in candidate.sides_of(spot) {
                tally.arrived[side.index()] += 1;
                tally.most[side.index()] = tally.most[side.index()].max(times);
                let missed = |(other, gone, _): &&(Spot, Access, Cause)| {
                    gone.strand != access.strand
                        && candidate.sides(spot, *other).is_some_and(|(mine, _)| mine == side)
                        && conflict(gone, access)
                };
                if let Some((_, gone, cause)) = self.gone.iter().rfind(missed) {
                    tally.late[side.index()] += 1;
                    tally.in_call[side.index()] += u32::from(*cause == Cause::NobodyMoves);
                    let late = |of: &Access| Late { strand: of.strand, phase: of.phases.lo.0 };
                    tally.apart = Some([late(gone), late(access)]);
                }
            }
        }
    }

    /// Who is there that the newcomer races with: candidate, the newcomer's side, the other.
    fn meetings(&self, newcomer: u64) -> Vec<(usize, Side, u64)> {
        let Some(new) = self.present.iter().find(|p| p.id == newcomer) else { return Vec::new() };
        let mut met = Vec::new();
        for other in self.present.iter().filter(|p| p.id != newcomer) {
            // A strand's accesses follow each other, unless one of them is still under way.
            if other.access.strand == new.access.strand && other.operation.is_none()
                || !conflict(&other.access, &new.access)
            {
                continue;
            }
            for (index, candidate) in self.candidates.iter().enumerate().filter(|&(index, _)| self.open(index)) {
                if let Some((mine, _)) = candidate.sides(new.spot, other.spot) {
                    met.push((index, mine, other.id));
                }
            }
        }
        met
    }

    /// Two sides are there. True if the newcomer has to wait for the other to go first.
    fn meet(&mut self, now: Duration, candidate: usize, mine: Side, newcomer: u64, other: u64) -> bool {
        let find = |id: u64| self.present.iter().position(|p| p.id == id);
        let (Some(new), Some(old)) = (find(newcomer), find(other)) else { return false };
        let (new, old) = (&self.present[new], &self.present[old]);
        let (me, them) = (new.access.strand, old.access.strand);
        let own = me == them;
        let holder = self.held().find(|(_, held)| match &held.what {
            What::Access(id) => *id == other,
            What::Completing(operations) => old.operation.is_some_and(|o| operations.contains(&o)),
            What::Behind | What::Late => false,
        });
        let stands = matches!(holder, Some((_, Held { what: What::Access(_), .. })));
        let holder = holder.map(|(strand, _)| strand).filter(|&strand| strand != me);
        let first = if own { None } else { self.policy.met() };
        let (my_operation, their_operation) = (new.operation, old.operation);
        if self.open(candidate) {
            let overlap = match (own, stands) {
                (true, _) => Overlap::OwnOpen(mine.other()),
                (false, true) => Overlap::BothStood,
                (false, false) => Overlap::Open(mine.other()),
            };
            let (new, old) = (new.part(), old.part());
            let parts = if mine == Side::A { [new, old] } else { [old, new] };
            self.witnesses[candidate] = Some(Witness { parts, overlap, first, second: mine });
        }
        match first {
            None => {
                if let Some(holder) = holder {
                    self.let_go(holder, Cause::Done);
                }
                false
            }
            Some(first) if first == mine => {
                // The newcomer goes; whoever holds the other behind it waits.
                if let Some(State::Held(held)) = holder.and_then(|holder| self.strands.get_mut(&holder)) {
                    held.behind = Some((me, my_operation));
                    held.until = now + SECOND_WAITS;
                }
                false
            }
            Some(_) => {
                if let Some(State::Held(held)) = self.strands.get_mut(&me) {
                    held.behind = Some((them, their_operation));
                    held.until = now + SECOND_WAITS;
                }
                if let Some(holder) = holder {
                    self.let_go(holder, Cause::Done);
                }
                true
            }
        }
    }

    fn is_awaited(&self, rank: Rank, operation: u64) -> bool {
        self.held().any(|(_, held)| held.behind.is_some_and(|(s, o)| s.rank == rank && o == Some(operation)))
    }

    fn hold_or_go(&mut self, now: Duration, strand: Strand, at: &At, wanted: bool) {
        let late = self.waits_late();
        // While one is late, nobody comes: an operation that is issued stays present by itself.
        let wanted = wanted && (late.is_none() || !self.passes(at));
        let patience = if wanted { self.policy.hold(at) * self.pace.min(2) } else { Duration::ZERO };
        if patience.is_zero() {
            self.let_go(strand, Cause::Done);
        } else if let Some(State::Held(held)) = self.strands.get_mut(&strand) {
            held.until = now + patience;
            if let Some(late) = late {
                self.let_go(late, Cause::Done);
            }
        }
    }

    /// Whether a strand may go on while the other side is late, and lose nothing.
    fn passes(&self, at: &At) -> bool {
        at.moment == Moment::Issue && self.policy.lets_issue()
    }

    /// Who waits for the others now.
    fn waits_late(&self) -> Option<Strand> {
        self.held().find(|(_, held)| matches!(held.what, What::Late)).map(|(strand, _)| strand)
    }

    fn let_go(&mut self, strand: Strand, cause: Cause) {
        let Some(state) = self.strands.get_mut(&strand) else { return };
        let State::Held(held) = std::mem::replace(state, State::Running) else { return };
        let gone: Vec<Present> = match held.what {
            // An operation stays until it is completed.
            What::Access(id) => self.present.extract_if(.., |p| p.id == id && p.operation.is_none()).collect(),
            What::Completing(operations) => {
                let these = |p: &Present| p.operation.is_some_and(|o| operations.contains(&o));
                self.present.extract_if(.., |p| p.access.strand.rank == strand.rank && these(p)).collect()
            }
            What::Behind | What::Late => Vec::new(),
        };
        self.gone.extend(gone.into_iter().map(|p| (p.spot, p.access, cause)));
        let surplus = self.gone.len().saturating_sub(REMEMBERED);
        self.gone.drain(..surplus);
        let awaits = |first: Strand, o: Option<u64>| first == strand || o.is_some() && first.rank == strand.rank;
        let report = self.held().any(|(_, held)| held.behind.is_some_and(|(first, o)| awaits(first, o)));
        self.actions.push(Action::Go { strand, missed: cause != Cause::Done, report });
    }

    /// Whether a strand stands behind an access that it was first at.
    fn is_behind(&self, strand: Strand) -> bool {
        matches!(self.strands.get(&strand), Some(State::Held(Held { what: What::Behind, .. })))
    }

    /// Those go on who wait for such a strand, unless its operation is still under way.
    fn release_behind(&mut self, is_done: impl Fn(Strand) -> bool) {
        for strand in self.seconds(is_done) {
            self.let_go(strand, Cause::Done);
        }
    }

    fn seconds(&self, is_done: impl Fn(Strand) -> bool) -> Vec<Strand> {
        let under_way = |rank: Rank, operation: u64| {
            self.present.iter().any(|p| p.access.strand.rank == rank && p.operation == Some(operation))
        };
        self.held()
            .filter(|(_, held)| {
                held.behind.is_some_and(|(first, operation)| match operation {
                    None => is_done(first),
                    Some(operation) => !under_way(first.rank, operation),
                })
            })
            .map(|(strand, _)| strand)
            .collect()
    }

    /// Places at which nothing is left to be found.
    fn switch_off(&mut self) {
        let indices = 0..self.live.len() as u32;
        let off: Vec<u32> = indices
            .filter(|index| !self.off.contains(index) && !self.wanted(self.live[*index as usize].spot))
            .collect();
        if !off.is_empty() {
            self.off.extend(&off);
            self.actions.push(Action::Off(off));
        }
    }
}

/// The bytes of a place where they are the same in every run: not those of private memory.
fn offsets(place: Place) -> Option<(u64, u64)> {
    let shared = matches!(place.segment, Segment::Heap | Segment::Statics | Segment::Window(_));
    shared.then(|| (place.bytes.lo(), place.bytes.hi()))
}

#[cfg(test)]
mod tests;
