//! The cuts of a rank: when they are, and who makes them.
//!
//! *When to cut.* All ranks must cut at the same barriers without talking about it. So each cut settles the next: from what the
//! busiest rank gathered since the last one, and from how long that took, all ranks compute the same number of barriers to let pass.
//! It at most doubles from one cut to the next, so that a program that suddenly does more is noticed in time.
//!
//! *Long cuts.* Nothing that a cut finds changes what a rank records, and what it is made of is complete when the rank has come to its barrier. So the
//! program need not wait for it: a worker makes the cut, and the rank waits for the worker at the next cut, or at its end. Nobody is
//! ahead by more than one batch, cuts are made one after the other, and what one of them found is on disk before the next begins. Its
//! numbers are not there yet when the rank goes on: the cut after a long one is settled by those of the cut before it.
//!
//! A rank that dies while its worker is at a cut takes that batch with it. So the program waits for quick cuts: those of little, as far as the
//! busiest rank at the cut before tells. All ranks know that number, and agree which cuts are long. Whether a rank has a worker is
//! its own affair: one that has none makes long cuts itself, and counts barriers like the others.
//!
//! | state | owner | when |
//! |---|---|---|
//! | [`Analysis`] with its transport | the rank | no cut is being made, or the rank makes it |
//! | | the worker | from [`Cuts::make`] on until [`Cuts::take_in`] |
//! | [`Ledger`] | whoever has its lock | |

use crate::ledger::{Ledger, Moment, lock};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use thrille_analysis::{Analysis, Gathered};
use thrille_model::job::Progress;
use thrille_model::{Access, wire};
use thrille_transport::{Timed, Transport};

/// Records that a rank should gather between two cuts.
const WANTED: u64 = 1 << 15;
/// Most barriers between two cuts.
const MOST_BARRIERS: u64 = 4096;
/// Longest time between two cuts, if there are barriers to make them at.
const LONGEST: Duration = Duration::from_secs(2);
/// A cut is long if the busiest rank gathered so many records for the one before.
const LONG: u64 = 1 << 12;
/// How often a rank that waits for its worker lets its library work.
const HELPS_EVERY: Duration = Duration::from_millis(1);

/// Starts a thread that is no strand of the program; whether it could be started.
pub type Spawn = fn(Box<dyn FnOnce() + Send>) -> bool;

/// What a cut told all ranks alike.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    barriers: u64,
    busiest: u64,
    longest_ms: u64,
}

impl Pace {
    /// How many barriers to let pass until the next cut, when so many have passed since the last.
    pub fn next(self, since: u64) -> u64 {
        let by_records = self.barriers.saturating_mul(WANTED) / self.busiest.max(1);
        let by_time = self.barriers.saturating_mul(LONGEST.as_millis() as u64) / self.longest_ms.max(1);
        by_records.min(by_time).min(since.saturating_mul(2)).clamp(1, MOST_BARRIERS)
    }
}

/// A cut to be made.
pub struct Job {
    /// What it is of.
    pub gathered: Gathered,
    /// The rank's figures when it came to the cut.
    pub progress: Progress,
    /// When it came there.
    pub moment: Moment,
    /// Barriers since the cut before.
    pub barriers: u64,
}

/// A cut that was made.
pub struct Done<T> {
    /// None when the ranks could not talk.
    analysis: Option<Analysis<Timed<T>>>,
    pace: Pace,
    /// Most records held, by this rank as owner.
    held: u64,
    room: Vec<Access>,
    took: Duration,
}

/// Makes a cut and writes down what it finds.
fn make<T: Transport>(mut analysis: Analysis<Timed<T>>, job: Job, ledger: &Mutex<Ledger>) -> Done<T> {
    let Job { gathered, mut progress, moment, barriers } = job;
    let began = Instant::now();
    match analysis.cut(gathered) {
        Ok(cut) => {
            let held = (cut.carried + cut.judged) as u64;
            progress.exchanges += 1;
            progress.most_held = progress.most_held.max(held);
            progress.analysis_us += began.elapsed().as_micros() as u64;
            communicated(&mut analysis, &mut progress);
            let _ = analysis.transport().note(&wire::encode(&progress));
            lock(ledger).cut(cut.races, moment, progress);
            let pace = Pace { barriers, busiest: cut.busiest, longest_ms: cut.longest_ms };
            Done { analysis: Some(analysis), pace, held, room: cut.room, took: began.elapsed() }
        }
        Err(error) => {
            lock(ledger).note(format!("the analysis stopped in phase {}: {error}", progress.phase.0));
            Done { analysis: None, pace: Pace::default(), held: 0, room: Vec::new(), took: began.elapsed() }
        }
    }
}

/// How much of all cuts' time was sending and waiting.
fn communicated<T: Transport>(analysis: &mut Analysis<Timed<T>>, progress: &mut Progress) {
    let spent = analysis.transport().spent();
    progress.communication_us = spent.wall.as_micros() as u64;
    progress.communication_cpu_us = spent.processor.as_micros() as u64;
}

/// Where a rank's worker gets cuts to make from, and leaves them.
struct Worker<T> {
    jobs: Sender<(Analysis<Timed<T>>, Job)>,
    done: Receiver<Done<T>>,
}

impl<T: Transport + Send + 'static> Worker<T> {
    fn start(spawn: Spawn, ledger: &Arc<Mutex<Ledger>>) -> Option<Self> {
        let (jobs, to_do) = channel();
        let (made, done) = channel();
        let ledger = Arc::clone(ledger);
        let work = move || {
            for (analysis, job) in to_do {
                if made.send(make(analysis, job, &ledger)).is_err() {
                    break;
                }
            }
        };
        spawn(Box::new(work)).then_some(Self { jobs, done })
    }
}

/// Where the analysis is.
#[allow(clippy::large_enum_variant, reason = "there is one in a rank")]
enum Place<T> {
    Here(Analysis<Timed<T>>),
    /// With the worker, since then.
    Away(Instant),
    Gone,
}

/// The cuts of one rank.
pub struct Cuts<T> {
    analysis: Place<T>,
    ledger: Arc<Mutex<Ledger>>,
    worker: Option<Worker<T>>,
    spawn: Option<Spawn>,
    /// Lets the program's library work, while the rank waits for its worker.
    pub help: fn(),
    /// A cut is long from so many records on.
    pub long: u64,
    /// A limit on the wait for the others.
    pub hurry: Option<Duration>,
    /// Of the last cut that is over.
    pace: Pace,
    /// Left by it.
    room: Vec<Access>,
}

impl<T: Transport + Send + 'static> Cuts<T> {
    /// None made yet; nobody else makes them.
    pub fn new(transport: T, ledger: Arc<Mutex<Ledger>>) -> Self {
        let analysis = Place::Here(Analysis::new(Timed::new(transport)));
        let pace = Pace::default();
        Self {
            analysis,
            ledger,
            worker: None,
            spawn: None,
            help: || {},
            long: LONG,
            hurry: None,
            pace,
            room: Vec::new(),
        }
    }

    /// Long cuts are made by a worker, which is started when there is one.
    pub fn spawn(&mut self, spawn: Option<Spawn>) {
        self.spawn = spawn;
    }

    /// Room for the records that are gathered next.
    pub fn room(&mut self) -> Vec<Access> {
        std::mem::take(&mut self.room)
    }

    /// Whether there will be no more.
    pub fn over(&self) -> bool {
        matches!(self.analysis, Place::Gone)
    }

    /// The analysis, once no worker has it.
    pub fn analysis(&mut self, progress: &mut Progress) -> Option<&mut Analysis<Timed<T>>> {
        self.take_in(progress);
        match &mut self.analysis {
            Place::Here(analysis) => Some(analysis),
            _ => None,
        }
    }

    /// Changes the analysis before there is a cut.
    pub fn change(&mut self, change: impl FnOnce(Analysis<Timed<T>>) -> Analysis<Timed<T>>) {
        self.analysis = match std::mem::replace(&mut self.analysis, Place::Gone) {
            Place::Here(analysis) => Place::Here(change(analysis)),
            other => other,
        };
    }

    /// The analysis for good.
    pub fn end(&mut self, progress: &mut Progress) -> Option<Analysis<Timed<T>>> {
        self.take_in(progress);
        match std::mem::replace(&mut self.analysis, Place::Gone) {
            Place::Here(analysis) => Some(analysis),
            _ => None,
        }
    }

    /// Waits for the worker, if it is at a cut.
    fn take_in(&mut self, progress: &mut Progress) {
        let Place::Away(since) = self.analysis else { return };
        let (began, end) = (Instant::now(), self.hurry.map(|within| Instant::now() + within));
        let done = loop {
            match self.worker.as_ref().map(|worker| worker.done.recv_timeout(HELPS_EVERY)) {
                Some(Ok(done)) => break Some(done),
                Some(Err(RecvTimeoutError::Timeout)) if end.is_none_or(|end| Instant::now() < end) => (self.help)(),
                _ => break None,
            }
        };
        let Some(done) = done else {
            self.analysis = Place::Gone;
            let phase = progress.phase.0;
            lock(&self.ledger).note(format!("the analysis stopped in phase {phase}: the others did not come to it"));
            return;
        };
        let beside = done.took.min(began.saturating_duration_since(since));
        progress.beside_us += beside.as_micros() as u64;
        self.made(done, progress);
    }

    fn made(&mut self, done: Done<T>, progress: &mut Progress) {
        let Done { analysis, pace, held, room, took } = done;
        (self.pace, self.room) = (pace, room);
        self.analysis = analysis.map_or(Place::Gone, Place::Here);
        if !self.over() {
            progress.exchanges += 1;
            progress.most_held = progress.most_held.max(held);
        }
        progress.analysis_us += took.as_micros() as u64;
        if let Place::Here(analysis) = &mut self.analysis {
            communicated(analysis, progress);
        }
        if let (Place::Here(analysis), Some(within)) = (&mut self.analysis, self.hurry) {
            analysis.transport().hurry(within);
        }
    }

    /// Makes a cut, or has it made: how many barriers to let pass until the next. No worker is at one.
    pub fn make(&mut self, mut job: Job, last: bool, progress: &mut Progress) -> u64 {
        let (barriers, before) = (job.barriers, self.pace);
        let long = !last && before.busiest >= self.long;
        let Place::Here(mut analysis) = std::mem::replace(&mut self.analysis, Place::Gone) else { return 1 };
        if long {
            if self.worker.is_none() {
                self.worker = self.spawn.and_then(|spawn| Worker::start(spawn, &self.ledger));
            }
            if let Some(worker) = &self.worker {
                match worker.jobs.send((analysis, job)) {
                    Ok(()) => {
                        self.analysis = Place::Away(Instant::now());
                        return before.next(barriers);
                    }
                    Err(back) => (analysis, job) = back.0,
                }
            }
        }
        self.made(make(analysis, job, &self.ledger), progress);
        if long { before.next(barriers) } else { self.pace.next(barriers) }
    }
}

#[cfg(test)]
mod tests {
    use super::Pace;

    #[test]
    fn cuts_come_when_there_is_something_to_tell() {
        let next = |barriers, busiest, longest_ms| Pace { barriers, busiest, longest_ms }.next(barriers);
        assert_eq!(next(1, 0, 0), 2);
        assert_eq!(next(4096, 10, 10), 4096);
        assert_eq!(next(64, 1 << 20, 10), 2);
        assert_eq!(next(64, 10, 10_000), 12);
        assert_eq!(next(1, u64::MAX, u64::MAX), 1);
        // By what the cut before the last told, of a batch that was shorter than the last.
        assert_eq!(Pace { barriers: 8, busiest: 1 << 12, longest_ms: 1 }.next(16), 32);
    }
}
