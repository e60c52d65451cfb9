//! Who is where. Told what strands do, it says who goes on, and witnesses what meets. No clock and no socket: time is what it is told.
//!
//! | state | invariant |
//! |---|---|
//! | `present` | accesses whose strands stand before them, and operations issued and not let into completion: never more than there are |
//! | `strands` | of those that are not held, what they last said; `Running` where nothing was said since the watch began |
//! | `witnesses` | of each candidate the first meeting |
//!
//! | module | has |
//! |---|---|
//! | [`meeting`] | which of those who are there race with each other |
//! | [`release`] | who waits, and who goes on |
//! | [`witness`] | what came of it |
//!
//! *Nobody waits for nothing.* A strand is held for a bounded time. When all strands that are not held are inside calls, and nothing has
//! changed for a few milliseconds ([`Policy::quiet`]), nobody can come: the policy names one that goes on. Calls may return by themselves at any moment, hence the
//! short wait; a strand that spins on memory looks as if it ran, and for that there is the bound. Of several whose time is over at once one goes on first: what it does may be what brings the
//! other side to one of the rest. Time begins when all ranks have.

mod meeting;
mod release;
mod witness;

pub use witness::{Overlap, Part, Tally, Witness};

use crate::candidate::{Candidate, LiveSite, Spot};
use crate::policy::{At, Moment, Policy};
use crate::protocol::{Arrival, Doing, Life};
use crate::schedule::{Late, Turn};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use thrille_model::{Access, Place, Rank, Segment, Site, Strand};

/// How long the second side of an order waits for the first to be done.
const SECOND_WAITS: Duration = Duration::from_millis(300);
/// How long the first waits for the second to be done.
const SECOND_TAKES: Duration = Duration::from_millis(50);
/// How long the strands are watched after the last one was held.
const WATCH: Duration = Duration::from_millis(100);
/// How long ranks may take to begin after the first one, while those that have begun wait for them.
const STARTING: Duration = Duration::from_secs(2);
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
    /// By how much that may be put off: while others, who went on, may make somebody come.
    grace: Duration,
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
    /// Ranks whose first strand has begun.
    begun: BTreeSet<u32>,
    first_begun: Duration,
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
            begun: BTreeSet::new(),
            first_begun: Duration::ZERO,
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

    /// What is to be done since the last call.
    pub fn actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    /// A rank joins.
    pub fn join(&mut self, now: Duration) {
        self.changed = now;
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
                if self.begun.is_empty() {
                    self.first_begun = now;
                }
                if self.begun.insert(strand.rank.0) && self.all_begun() {
                    self.time_begins(now);
                }
                self.strands.entry(strand).or_insert(State::Running);
            }
            Life::Ends => {
                self.strands.remove(&strand);
                self.present.retain(|p| p.access.strand != strand || p.operation.is_some());
                self.release_behind(|first| first == strand);
            }
        }
    }

    /// A rank's part of a window is at an address. Others may have come to it before: a rank is back from making the window as soon as all have come there, and not when all are back.
    pub fn window(&mut self, rank: u32, number: u32, base: u64) {
        self.windows.insert((Rank(rank), number), base);
        for index in 0..self.present.len() {
            self.present[index].access.place = self.address(self.present[index].access.place);
        }
        for index in 0..self.gone.len() {
            self.gone[index].1.place = self.address(self.gone[index].1.place);
        }
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
        let held = Held { what: What::Access(id), misses, until: now, grace: Duration::ZERO, behind: None };
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
        let held =
            Held { what: What::Completing(operations), misses: 0, until: now, grace: Duration::ZERO, behind: None };
        self.strands.insert(strand, State::Held(held));
        let at = At { strand, live: None, moment: Moment::Completing, misses: 0 };
        self.hold_or_go(now, strand, &at, wanted && !awaited);
    }

    /// A strand has done what it was let go for. If somebody waited for that, it goes on when they have done theirs.
    pub fn passed(&mut self, now: Duration, strand: Strand) {
        self.changed = now;
        let held =
            Held { what: What::Behind, misses: 0, until: now + SECOND_TAKES, grace: Duration::ZERO, behind: None };
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
            grace: Duration::ZERO,
            behind: None,
        };
        self.strands.insert(strand, State::Held(held));
        if awaited {
            self.let_go(strand, Cause::Done);
        }
    }

    /// Time has passed.
    pub fn tick(&mut self, now: Duration) {
        while let Some(strand) = self.overdue(now) {
            self.let_go(strand, Cause::TimeOver);
            self.put_off(now);
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
        let until = self.held().map(|(_, held)| held.until).min().map(|until| until.max(self.waits_for_ranks_until()));
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
}

/// The bytes of a place where they are the same in every run: not those of private memory.
fn offsets(place: Place) -> Option<(u64, u64)> {
    let shared = matches!(place.segment, Segment::Heap | Segment::Statics | Segment::Window(_));
    shared.then(|| (place.bytes.lo(), place.bytes.hi()))
}

#[cfg(test)]
mod tests;
