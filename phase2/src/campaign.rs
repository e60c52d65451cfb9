//! Which runs to make within a budget, and the verdicts they amount to.
//!
//! All candidates are live in the first two runs: races that have nothing to do with each other are confirmed together. What is left is then
//! looked for alone, by pause-and-match and by random priorities. Nobody is held for longer than a tenth of a second or so at a time: what
//! keeps two accesses a second apart in every run is taken for an order, though it is none. At last, each race that was confirmed is run in both orders.

use crate::candidate::{Candidate, LiveSite, Side, Wanted, live_sites};
use crate::floor::{Overlap, Tally, Witness};
use crate::policy::Choice;
use crate::schedule::{Late, Schedule};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use thrille_model::verdict::{Matters, Meeting, Obstacle, Verdict};

pub use thrille_model::verdict::Finding;

/// A run that takes so many times as long as it does as a rule hangs.
const LIMIT: u32 = 10;

/// One run of the program.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What to look for.
    pub candidates: Vec<Candidate>,
    /// Where to stop.
    pub live: Vec<LiveSite>,
    /// How to schedule.
    pub choice: Choice,
    /// Who is late.
    pub late: Option<Late>,
    /// A run that takes longer hangs.
    pub limit: Duration,
}

impl Plan {
    /// How long somebody is late, if the others do not come to where they wait for it: they do not take longer than the program does as a rule.
    pub fn late_at_most(&self) -> Duration {
        self.limit / LIMIT
    }
}

/// What a program said and did.
#[derive(Clone, Debug, Default)]
pub struct Behaviour {
    /// How each rank ended: status or signal; neither if nobody knows.
    pub exits: Vec<(Option<i32>, Option<i32>)>,
    /// The rank that failed first; the others may have been ended because it did. No part of what is compared: of two that fail it may be either.
    pub first_failure: Option<u32>,
    /// What each rank printed, line by line, by its hash.
    pub output: Vec<Vec<u64>>,
    /// What the user's command made of it: status and output.
    pub oracle: Option<(Option<i32>, u64)>,
    /// It did not come to an end.
    pub hung: bool,
}

impl PartialEq for Behaviour {
    fn eq(&self, other: &Self) -> bool {
        (&self.exits, &self.output, &self.oracle, self.hung) == (&other.exits, &other.output, &other.oracle, other.hung)
    }
}

impl Behaviour {
    fn failed(&self) -> bool {
        self.hung || self.exits.iter().any(|exit| exit.0 != Some(0))
    }

    /// Whether it ended as another one did, and printed as many lines, whatever they say.
    fn is_alike_but_for_lines(&self, other: &Self) -> bool {
        let lines = |behaviour: &Self| behaviour.output.iter().map(Vec::len).collect::<Vec<_>>();
        (&self.exits, &self.oracle, self.hung, lines(self)) == (&other.exits, &other.oracle, other.hung, lines(other))
    }

    /// In words, what differs from another.
    fn differs(&self, other: &Self) -> String {
        let mut words = Vec::new();
        if self.exits != other.exits {
            words.push("the exit status");
        }
        if self.output != other.output {
            words.push("the standard output");
        }
        if self.oracle != other.oracle {
            words.push("the oracle's verdict");
        }
        words.join(" and ")
    }
}

/// How a run went.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Of each candidate the meeting, if there was one.
    pub witnesses: Vec<Option<Witness>>,
    /// Of each candidate what came.
    pub tallies: Vec<Tally>,
    /// What the program said and did.
    pub behaviour: Behaviour,
    /// The user wants no more.
    pub interrupted: bool,
}

/// Runs programs.
pub trait Engine {
    /// What can go wrong.
    type Error;

    /// Runs the program once.
    fn run(&mut self, plan: &Plan) -> Result<Outcome, Self::Error>;

    /// So many of the candidates are settled.
    fn progress(&mut self, _settled: usize, _of: usize) {}
}

/// How much to spend.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// On all.
    pub time: Duration,
    /// On one candidate.
    pub tries: u32,
    /// How long the program took in phase 1.
    pub usual: Duration,
}

impl Budget {
    /// A run that takes longer hangs.
    pub fn limit(&self) -> Duration {
        (self.usual * LIMIT).max(Duration::from_secs(5))
    }
}

/// The state of the search.
pub struct Campaign {
    ranks: u32,
    /// Whether the program failed in phase 1 as well.
    failed_before: bool,
    budget: Budget,
    begun: Instant,
    candidates: Vec<Candidate>,
    witnesses: Vec<Option<Witness>>,
    tallies: Vec<Tally>,
    tries: Vec<u32>,
    matters: BTreeMap<usize, Matters>,
    /// How a run failed that looked for races, and how many did.
    failures: (Option<String>, u32),
    interrupted: bool,
}

impl Campaign {
    /// For a job of so many ranks.
    pub fn new(ranks: u32, failed_before: bool, mut candidates: Vec<Candidate>, budget: Budget) -> Self {
        candidates.sort_by_key(Candidate::rank);
        let number = candidates.len();
        Self {
            ranks,
            failed_before,
            budget,
            begun: Instant::now(),
            candidates,
            witnesses: vec![None; number],
            tallies: vec![Tally::default(); number],
            tries: vec![0; number],
            matters: BTreeMap::new(),
            failures: (None, 0),
            interrupted: false,
        }
    }

    /// Makes the runs.
    pub fn run<E: Engine>(&mut self, engine: &mut E) -> Result<(), E::Error> {
        let pause = |patience, seed| Choice::PauseAndMatch { patience: Duration::from_millis(patience), seed };
        // Two accesses may be as far apart as the program takes.
        let long = Duration::from_millis(120).max(self.budget.usual / 2);
        self.look(engine, &self.open(), false, pause(60, 1), None)?;
        if self.budget.tries > 1 {
            // Where the bytes or phases are others than in phase 1; and who was ahead is late now, of the first of them.
            let open = self.open();
            let late = open.first().and_then(|&index| self.tallies[index].apart).map(|[ahead, _]| ahead);
            self.look(engine, &open, true, pause(30, 2), late)?;
        }
        for attempt in 2..self.budget.tries {
            for index in self.open() {
                let side = |side| self.candidates[index].late(side);
                let pct = Choice::Pct { seed: u64::from(attempt), patience: Duration::from_millis(100) };
                // Who is first to take a lock may decide whether they can meet at all: the one is late, then the other.
                let apart = self.tallies[index].apart;
                let (choice, late) = match attempt {
                    2 => (
                        Choice::PauseAndMatch { patience: long, seed: 3 },
                        apart.map(|[_, behind]| behind).or(side(Side::A)),
                    ),
                    3 => (
                        Choice::PauseAndMatch { patience: long, seed: 4 },
                        apart.map(|[ahead, _]| ahead).or(side(Side::B)),
                    ),
                    _ => (pct, None),
                };
                self.look(engine, &[index], false, choice, late)?;
            }
        }
        for index in 0..self.candidates.len() {
            if self.witnesses[index].is_some() {
                let matters = self.compare(engine, index)?;
                self.matters.insert(index, matters);
            }
            engine.progress(index + 1, self.candidates.len());
        }
        Ok(())
    }

    /// What came of it, race by race.
    pub fn findings(&self) -> Vec<Finding> {
        (0..self.candidates.len()).map(|index| self.finding(index)).collect()
    }

    /// Whether the user stopped it.
    pub fn interrupted(&self) -> bool {
        self.interrupted
    }

    /// In words, how runs failed that looked for races which did not happen, though the program had not failed before.
    pub fn failure(&self) -> Option<String> {
        let (how, runs) = &self.failures;
        let how = how.as_ref().filter(|_| !self.failed_before && !self.open().is_empty())?;
        Some(format!(
            "in {runs} of the runs that looked for races, {how}: what it would have come to behind that could not happen"
        ))
    }

    fn open(&self) -> Vec<usize> {
        (0..self.candidates.len()).filter(|&index| self.witnesses[index].is_none()).collect()
    }

    fn spent(&self) -> bool {
        self.interrupted || self.begun.elapsed() >= self.budget.time
    }

    /// One run with these candidates live.
    fn look<E: Engine>(
        &mut self,
        engine: &mut E,
        which: &[usize],
        anywhere: bool,
        choice: Choice,
        late: Option<Late>,
    ) -> Result<(), E::Error> {
        if which.is_empty() || self.spent() {
            return Ok(());
        }
        let pick = |&index: &usize| {
            let candidate = &self.candidates[index];
            if anywhere { candidate.anywhere() } else { candidate.clone() }
        };
        let candidates: Vec<Candidate> = which.iter().map(pick).collect();
        let live = live_sites(candidates.iter());
        let outcome = engine.run(&Plan { candidates, live, choice, late, limit: self.budget.limit() })?;
        self.interrupted |= outcome.interrupted;
        if outcome.behaviour.failed() && !outcome.interrupted {
            self.failures = (Some(failure(&outcome.behaviour)), self.failures.1 + 1);
        }
        for ((&index, witness), tally) in which.iter().zip(outcome.witnesses).zip(&outcome.tallies) {
            self.tries[index] += 1;
            add(&mut self.tallies[index], tally);
            if witness.is_some() {
                self.witnesses[index] = witness;
            }
        }
        let settled = self.witnesses.iter().flatten().count();
        engine.progress(settled, self.candidates.len());
        Ok(())
    }

    /// Both orders of a race that happened.
    fn compare<E: Engine>(&mut self, engine: &mut E, index: usize) -> Result<Matters, E::Error> {
        if matches!(self.witnesses[index].as_ref().map(|w| w.overlap), Some(Overlap::OwnOpen(_))) {
            return Ok(Matters::NotCompared(
                "both sides are one thread's own: which of them takes effect first is up to the library".into(),
            ));
        }
        let mut runs: [Vec<Behaviour>; 2] = [Vec::new(), Vec::new()];
        // Twice, if the first comparison shows a difference: a program that never says the same twice shows nothing.
        for round in 0..2 {
            for first in [Side::A, Side::B] {
                match self.ordered(engine, index, first)? {
                    Ok(behaviour) => runs[first.index()].push(behaviour),
                    Err(why) => return Ok(why),
                }
            }
            if round == 0 && runs[0] == runs[1] && !self.fails(&runs) {
                return Ok(Matters::NoDifference);
            }
        }
        Ok(self.judge(&runs))
    }

    fn fails(&self, runs: &[Vec<Behaviour>; 2]) -> bool {
        !self.failed_before && runs.iter().flatten().any(Behaviour::failed)
    }

    fn judge(&self, [a, b]: &[Vec<Behaviour>; 2]) -> Matters {
        let stable = |runs: &[Behaviour]| runs.windows(2).all(|pair| pair[0] == pair[1]);
        if !self.failed_before {
            let bad = |runs: &[Behaviour]| runs.iter().find(|behaviour| behaviour.failed()).map(failure);
            match (bad(a), bad(b)) {
                (Some(how), Some(_)) => return Matters::CrashesOrHangs(format!("{how}, whoever is first")),
                (Some(how), None) => return Matters::CrashesOrHangs(format!("{how} when a is first")),
                (None, Some(how)) => return Matters::CrashesOrHangs(format!("{how} when b is first")),
                (None, None) => {}
            }
        }
        if !stable(a) || !stable(b) {
            if a.iter().chain(b).all(|run| run.is_alike_but_for_lines(&a[0])) && differ_in_a_steady_line(a, b) {
                return Matters::ChangesResult("the standard output".into());
            }
            let differs = a[0].differs(&a[1]);
            let differs = if differs.is_empty() { b[0].differs(&b[1]) } else { differs };
            return Matters::NotCompared(format!("{differs} differs from run to run, even in one and the same order"));
        }
        if a == b { Matters::NoDifference } else { Matters::ChangesResult(a[0].differs(&b[0])) }
    }

    /// A run in one order; or why there is none.
    fn ordered<E: Engine>(
        &mut self,
        engine: &mut E,
        index: usize,
        first: Side,
    ) -> Result<Result<Behaviour, Matters>, E::Error> {
        // What met, meets again: at the execution that is known, then at any that phase 1 saw.
        for exact in [true, false] {
            if self.spent() {
                let why = "there was no time left to compare the two orders: raise --confirm-time";
                return Ok(Err(Matters::NotCompared(why.into())));
            }
            let mut candidate = self.candidates[index].clone();
            if exact {
                candidate = candidate.anywhere();
            }
            let candidates = vec![candidate];
            let mut live = live_sites(candidates.iter());
            if let (Some(witness), true) = (&self.witnesses[index], exact) {
                narrow(&mut live, &witness.schedule(self.ranks));
            }
            let choice = Choice::Ordered { first, patience: Duration::from_millis(500).max(self.budget.usual / 2) };
            // The others may not get there without the one that is late.
            let late = self.witnesses[index].as_ref().and_then(Witness::late).filter(|_| exact);
            let outcome = engine.run(&Plan { candidates, live, choice, late, limit: self.budget.limit() })?;
            self.interrupted |= outcome.interrupted;
            let met = outcome.witnesses.iter().flatten().next().is_some();
            if met || outcome.behaviour.hung {
                return Ok(Ok(outcome.behaviour));
            }
        }
        let why = "the two did not meet again in a run that was to put one of them first";
        Ok(Err(Matters::NotCompared(why.into())))
    }

    fn finding(&self, index: usize) -> Finding {
        let candidate = &self.candidates[index];
        let verdict = match &self.witnesses[index] {
            Some(witness) => {
                let not_yet = || Matters::NotCompared("there was no time left to compare the two orders".into());
                let under_way = match witness.overlap {
                    Overlap::BothStood => None,
                    Overlap::Open(side) | Overlap::OwnOpen(side) => Some(side.index() as u8),
                };
                let [a, b] = &witness.parts;
                Verdict::Confirmed {
                    matters: self.matters.get(&index).cloned().unwrap_or_else(not_yet),
                    meeting: Meeting {
                        under_way,
                        strands: [a.turn.strand, b.turn.strand],
                        stacks: [a.stack.clone(), b.stack.clone()],
                    },
                    schedule: witness.schedule(self.ranks).to_string(),
                }
            }
            None => Verdict::NotConfirmed(self.obstacle(index)),
        };
        Finding { places: candidate.named.clone(), tries: self.tries[index], verdict }
    }

    fn obstacle(&self, index: usize) -> Obstacle {
        let (candidate, tally) = (&self.candidates[index], &self.tallies[index]);
        let came = tally.arrived.map(|times| times > 0);
        if self.tries[index] == 0 {
            Obstacle::Budget
        } else if came != [true, true] {
            Obstacle::NeverCame(came.map(|came| !came))
        } else if tally.late == [0, 0] {
            if self.tries[index] < self.budget.tries && self.spent() { Obstacle::Budget } else { Obstacle::OtherBytes }
        } else if 2 * tally.in_call.iter().sum::<u32>() > tally.late.iter().sum() {
            Obstacle::WaitedInCall
        } else {
            self.polled_by(candidate).map_or(Obstacle::AlwaysOrdered, Obstacle::PolledFlag)
        }
    }

    /// The race on a word by which the ranks of this one signal to each other.
    fn polled_by(&self, candidate: &Candidate) -> Option<usize> {
        let polls = |flag: &Candidate, tally: &Tally| flag.loads_word.is_some_and(|side| tally.most[side.index()] > 1);
        let among = |(flag, tally): &(&Candidate, &Tally)| {
            let ranks = [flag.ranks(Side::A), flag.ranks(Side::B)].concat();
            (flag.flag || polls(flag, tally))
                && flag.number != candidate.number
                && [Side::A, Side::B].iter().all(|&side| candidate.ranks(side).iter().any(|rank| ranks.contains(rank)))
        };
        self.candidates.iter().zip(&self.tallies).filter(among).map(|(flag, _)| flag.number).min()
    }
}

/// Whether there is a line that is always the same in either order, and not the same in both: others may tell the time.
fn differ_in_a_steady_line(a: &[Behaviour], b: &[Behaviour]) -> bool {
    let line = |run: &Behaviour, rank: usize, line: usize| run.output[rank][line];
    let steady = |runs: &[Behaviour], rank, at| {
        let first = line(&runs[0], rank, at);
        runs.iter().all(|run| line(run, rank, at) == first).then_some(first)
    };
    let mut places =
        a[0].output.iter().enumerate().flat_map(|(rank, lines)| (0..lines.len()).map(move |at| (rank, at)));
    places.any(|(rank, at)| matches!((steady(a, rank, at), steady(b, rank, at)), (Some(x), Some(y)) if x != y))
}

/// How a run failed.
fn failure(behaviour: &Behaviour) -> String {
    if behaviour.hung {
        return "the program does not come to an end".into();
    }
    // Of those that failed the first; if that is not known, a signal is the cause rather than a consequence.
    let failed = (0u32..).zip(&behaviour.exits).filter(|(_, exit)| exit.0 != Some(0));
    let bad = failed.min_by_key(|(rank, exit)| (Some(*rank) != behaviour.first_failure, exit.1.is_none()));
    match bad {
        Some((rank, (Some(code), _))) => format!("rank {rank} exits with status {code}"),
        Some((rank, (None, Some(signal)))) => format!("rank {rank} is killed by signal {signal}"),
        _ => "the program fails".into(),
    }
}

fn add(sum: &mut Tally, tally: &Tally) {
    let plus = |a: &mut [u32; 2], b: [u32; 2]| a.iter_mut().zip(b).for_each(|(a, b)| *a = a.saturating_add(b));
    plus(&mut sum.arrived, tally.arrived);
    sum.most.iter_mut().zip(tally.most).for_each(|(sum, most)| *sum = most.max(*sum));
    plus(&mut sum.late, tally.late);
    plus(&mut sum.in_call, tally.in_call);
    sum.apart = tally.apart.or(sum.apart);
}

/// Only the strands of a schedule stop, each from its recorded execution on.
pub fn narrow(live: &mut [LiveSite], schedule: &Schedule) {
    for site in live {
        let turns = [schedule.a, schedule.b].into_iter().filter(|turn| turn.spot == site.spot);
        site.only = Some(turns.collect());
    }
}

/// How closely a schedule is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closeness {
    /// By the recorded executions of the recorded strands and tasks.
    Strands,
    /// By any execution of the recorded ranks in the recorded phase on the recorded bytes: how often somebody has been there before may be luck.
    Bytes,
    /// By any execution of the recorded ranks.
    Ranks,
}

impl Closeness {
    /// Of one try after the other.
    pub fn of_try(number: u32) -> Self {
        match number {
            0 => Self::Strands,
            odd if odd % 2 == 1 => Self::Bytes,
            _ => Self::Ranks,
        }
    }
}

/// The run that a schedule asks for.
pub fn replay(candidate: &Candidate, schedule: &Schedule, closeness: Closeness, limit: Duration) -> Plan {
    let mut candidates = vec![candidate.anywhere()];
    let turns = [Side::A, Side::B].map(|side| schedule.turn(side));
    let ranks = turns.map(|turn| Wanted { ranks: vec![turn.strand.rank.0], ..Wanted::default() });
    match closeness {
        Closeness::Strands => {}
        Closeness::Ranks => candidates[0].wanted = ranks,
        Closeness::Bytes => {
            for ((wanted, ranks), turn) in candidates[0].wanted.iter_mut().zip(ranks).zip(turns) {
                let phases = vec![(turn.phase, Some(turn.phase))];
                *wanted = Wanted { offsets: turn.bytes.into_iter().collect(), phases, ..ranks };
            }
        }
    }
    let mut live = live_sites(candidates.iter());
    if closeness == Closeness::Strands {
        narrow(&mut live, schedule);
    }
    // There are two to wait for each other: as long as nobody else is late for it.
    let choice = Choice::Replay { schedule: *schedule, patience: limit / 4 };
    // Every other time nobody is late: the others may not get there without the one that is.
    let late = schedule.late.filter(|_| closeness != Closeness::Bytes);
    Plan { candidates, live, choice, late, limit }
}

#[cfg(test)]
mod tests;
