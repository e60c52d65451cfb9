//! A rank's whole life: its strands record, it makes the cuts with the others and writes down what they find.
//!
//! *When to cut.* All ranks must cut at the same barriers without talking about it. So each cut settles the next: from what the
//! busiest rank gathered since the last one, and from how long that took, all ranks compute the same number of barriers to let pass.
//! It at most doubles from one cut to the next, so that a program that suddenly does more is noticed in time.

use crate::rank::Rank;
use crate::recorder::Recorder;
use crate::runs::Room;
use crate::sink::Sink;
use crate::stacks::Stacks;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use thrille_analysis::{Analysis, AnalysisError};
use thrille_history::Store;
use thrille_model::job::{Api, Entry, FunctionSampled, Progress, Sampled};
use thrille_model::{Act, Kind, Object, Phase, Segment, Site, StackId, wire};
use thrille_transport::Transport;

/// Records that a rank should gather between two cuts.
const WANTED: u64 = 1 << 15;
/// Most barriers between two cuts.
const MOST_BARRIERS: u64 = 4096;
/// Longest time between two cuts, if there are barriers to make them at.
const LONGEST: Duration = Duration::from_secs(2);

/// Memory that the program asked for, or made a window of.
#[derive(Clone, Copy, Debug)]
struct Allocation {
    number: u32,
    segment: Segment,
    lo: u64,
    len: u64,
    site: Site,
}

/// The analysis and where its findings go.
struct Judge<T> {
    analysis: Option<Analysis<T>>,
    sink: Sink,
    last_cut: (Phase, Instant),
    progress: Progress,
    allocations: Vec<Allocation>,
    notes: Vec<String>,
    /// How the rank was sampled, told at its end.
    sampled: Option<Sampled>,
    muted: bool,
}

/// What of the program's loads and stores is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observes {
    /// The program is not instrumented.
    Nothing,
    /// Some are: what is not seen may have ordered what is.
    Samples,
    /// All of them.
    Everything,
}

/// One rank.
pub struct Session<T> {
    rank: Mutex<Rank>,
    stacks: Mutex<Stacks>,
    judge: Mutex<Judge<T>>,
    /// The phase at whose beginning the next cut is.
    next_cut: AtomicU64,
}

fn lock<V>(mutex: &Mutex<V>) -> MutexGuard<'_, V> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Transport> Session<T> {
    /// Begins: the ranks can talk and the file is there.
    pub fn new(rank: Rank, transport: T, mut sink: Sink, tool: &str, api: Api) -> Self {
        sink.write(&Entry::Start {
            rank: thrille_model::Rank(transport.rank()),
            size: transport.size(),
            pid: std::process::id(),
            tool: tool.to_owned(),
            api,
        });
        let judge = Judge {
            analysis: Some(Analysis::new(transport)),
            sink,
            last_cut: (Phase(0), Instant::now()),
            progress: Progress::default(),
            allocations: Vec::new(),
            notes: Vec::new(),
            sampled: None,
            muted: rank.muted,
        };
        Self {
            rank: Mutex::new(rank),
            stacks: Mutex::new(Stacks::default()),
            judge: Mutex::new(judge),
            next_cut: AtomicU64::new(1),
        }
    }

    /// What of the program's loads and stores is observed.
    pub fn observes(&self, loads_and_stores: Observes) {
        lock(&self.judge).progress.instrumented = loads_and_stores != Observes::Nothing;
        self.rank().sees_flows = loads_and_stores == Observes::Everything;
    }

    /// Finds conflicts by this kind of interval history; the findings are the same.
    #[must_use]
    pub fn with_history(self, history: Store) -> Self {
        {
            let mut judge = lock(&self.judge);
            judge.analysis = judge.analysis.take().map(|analysis| analysis.with_history(history));
        }
        self
    }

    /// What was looked at, to be written down.
    pub fn sampled(&self, mut sampled: Sampled, functions: &[(u64, FunctionSampled)]) {
        let mut rank = self.rank();
        let site = |&(pc, figures): &(u64, FunctionSampled)| FunctionSampled { at: rank.modules().site(pc), ..figures };
        sampled.functions = functions.iter().map(site).collect();
        drop(rank);
        lock(&self.judge).sampled = Some(sampled);
    }

    /// The state that the rank's strands share.
    pub fn rank(&self) -> MutexGuard<'_, Rank> {
        lock(&self.rank)
    }

    /// A load, a store, or another access that is over at once.
    #[inline]
    pub fn touch(&self, recorder: &mut Recorder, address: u64, len: u64, kind: Kind, act: Act, pc: u64) {
        if recorder.touch(address, len, kind, act, pc) == Room::Full {
            self.drain(recorder);
        }
    }

    /// The same for many bytes.
    pub fn touch_range(&self, recorder: &mut Recorder, address: u64, len: u64, kind: Kind, act: Act, pc: u64) {
        if recorder.touch_range(address, len, kind, act, pc) == Room::Full {
            self.drain(recorder);
        }
    }

    /// Makes room in a strand's buffer, or binds it to its thread: what a full buffer asks for.
    #[cold]
    pub fn drain(&self, recorder: &mut Recorder) {
        self.rank().make_room(recorder);
    }

    /// A function is entered.
    #[inline]
    pub fn enter_function(&self, recorder: &mut Recorder, call: u64, sp: u64) {
        recorder.stack.enter(call, sp, |parent, call| self.new_stack(parent, call));
    }

    /// The stack that these return addresses make, outermost first.
    pub fn stack(&self, calls: impl Iterator<Item = u64>) -> StackId {
        let mut stacks = lock(&self.stacks);
        calls.fold(StackId(0), |parent, call| stacks.child(parent, call))
    }

    #[cold]
    fn new_stack(&self, parent: StackId, call: u64) -> StackId {
        lock(&self.stacks).child(parent, call)
    }

    /// A strand comes to a global barrier.
    pub fn enter_barrier(&self, recorder: &mut Recorder) {
        self.rank().enter_barrier(recorder);
    }

    /// Whether there is a cut at the end of the present barrier.
    pub fn cuts_next(&self) -> bool {
        self.rank().phase().0 + 1 >= self.next_cut.load(Ordering::Relaxed)
    }

    /// How many barriers there are before the next one at which there is a cut.
    pub fn barriers_to_pass(&self) -> u64 {
        self.next_cut.load(Ordering::Relaxed).saturating_sub(self.rank().phase().0 + 1)
    }

    /// The barrier lets it go on; all ranks make a cut if it is time for one.
    pub fn leave_barrier(&self, recorder: &mut Recorder) {
        self.rank().leave_barrier(recorder);
        self.cut_if_due(recorder);
    }

    /// A strand passes a global barrier that waits for nobody.
    pub fn count_barrier(&self, recorder: &mut Recorder) {
        self.rank().count_barrier(recorder);
        self.cut_if_due(recorder);
    }

    fn cut_if_due(&self, recorder: &mut Recorder) {
        let phase = self.rank().phase();
        if phase.0 >= self.next_cut.load(Ordering::Relaxed) {
            let mut judge = lock(&self.judge);
            if !judge.muted {
                self.cut(&mut judge, recorder, false);
            }
        }
    }

    /// A segment has a new object.
    pub fn allocated(&self, segment: Segment, lo: u64, len: u64, pc: u64) {
        let site = self.rank().modules().site(pc);
        let mut judge = lock(&self.judge);
        let number = judge.allocations.last().map_or(0, |a| a.number) + 1;
        judge.allocations.push(Allocation { number, segment, lo, len, site });
    }

    /// Something the reader of the report must know.
    pub fn note(&self, text: String) {
        let mut judge = lock(&self.judge);
        judge.sink.write(&Entry::Note(text));
        judge.sink.sync();
    }

    /// The last cut, with whoever is still there. `regular`: the program came to its end as it should.
    pub fn finish(&self, recorder: &mut Recorder, regular: bool) {
        let mut judge = lock(&self.judge);
        if judge.analysis.is_none() {
            return;
        }
        if !judge.muted {
            self.cut(&mut judge, recorder, true);
        }
        judge.progress.executed += recorder.executed;
        judge.progress.observed += recorder.observed;
        (recorder.executed, recorder.observed) = (0, 0);
        if let Some(mut analysis) = judge.analysis.take() {
            for race in analysis.races().cloned().collect::<Vec<_>>() {
                let race = judge.named(race);
                judge.sink.write(&Entry::Race(race));
            }
            let (races, notes) = self.rank().task_races(recorder.strand());
            for race in races {
                let race = judge.named(race);
                judge.sink.write(&Entry::Race(race));
            }
            for note in notes {
                judge.sink.write(&Entry::Note(note));
            }
            let traffic = self.rank().traffic();
            if !traffic.is_empty() {
                judge.sink.write(&Entry::Traffic(traffic));
            }
            self.write_modules(&mut judge);
            if let Some(sampled) = judge.sampled.take() {
                judge.sink.write(&Entry::Sampled(sampled));
            }
            let entry = if regular { Entry::Finished(judge.progress) } else { Entry::Stopped(judge.progress) };
            judge.sink.write(&entry);
            judge.sink.sync();
            let _ = analysis.transport().leave(&wire::encode(&judge.progress));
        }
    }

    /// The others may not come to the exchanges that are left: a limit on the wait for them.
    pub fn hurry(&self, within: Duration) {
        if let Some(analysis) = &mut lock(&self.judge).analysis {
            analysis.transport().hurry(within);
        }
    }

    /// The end of a rank whose others cannot come to a last exchange: they may be waiting for it inside their library.
    pub fn abandon(&self, recorder: &mut Recorder) {
        let mut judge = lock(&self.judge);
        judge.progress.executed += std::mem::take(&mut recorder.executed);
        judge.progress.observed += std::mem::take(&mut recorder.observed);
        if let Some(mut analysis) = judge.analysis.take() {
            let progress = judge.progress;
            self.write_down(&mut judge, Vec::new(), progress);
            judge.sink.sync();
            let _ = analysis.transport().leave(&wire::encode(&progress));
        }
    }

    /// Adds a strand's counts when it ends.
    pub fn count(&self, recorder: &mut Recorder) {
        let mut judge = lock(&self.judge);
        judge.progress.executed += std::mem::take(&mut recorder.executed);
        judge.progress.observed += std::mem::take(&mut recorder.observed);
    }

    fn cut(&self, judge: &mut Judge<T>, recorder: &mut Recorder, last: bool) {
        let Some(analysis) = &mut judge.analysis else { return };
        let began = Instant::now();
        let elapsed = began - judge.last_cut.1;
        let mut rank = self.rank();
        let gathered = rank.gather(recorder, last, elapsed.as_millis() as u64);
        let progress = &mut judge.progress;
        progress.phase = rank.phase();
        progress.recorded = rank.recorded;
        progress.dropped = rank.dropped;
        progress.strands = rank.threads() as u32;
        progress.most_held = progress.most_held.max(gathered.accesses.len() as u64);
        progress.spent = recorder.spent;
        drop(rank);
        judge.sink.trace(&gathered.accesses, &gathered.events);

        match analysis.cut(gathered) {
            Ok(cut) => {
                progress.exchanges += 1;
                progress.most_held = progress.most_held.max((cut.carried + cut.judged) as u64);
                progress.analysis_us += began.elapsed().as_micros() as u64;
                let barriers = progress.phase.0.saturating_sub(judge.last_cut.0.0).max(1);
                let next = progress.phase.0 + barriers_to_let_pass(barriers, cut.busiest, cut.longest_ms);
                self.next_cut.store(next, Ordering::Relaxed);
                judge.last_cut = (progress.phase, Instant::now());
                let note = Progress {
                    executed: progress.executed + recorder.executed,
                    observed: progress.observed + recorder.observed,
                    ..*progress
                };
                let _ = analysis.transport().note(&wire::encode(&note));
                self.write_down(judge, cut.races, note);
            }
            Err(error) => judge.give_up(&error),
        }
    }

    fn write_down(&self, judge: &mut Judge<T>, races: Vec<thrille_model::Race>, progress: Progress) {
        let mut rank = self.rank();
        for (id, parent, call) in lock(&self.stacks).fresh() {
            let call = rank.modules().site(call);
            judge.sink.write(&Entry::Stack { id, parent, call });
        }
        for (id, call) in rank.fresh_callers() {
            judge.sink.write(&Entry::Caller { id, call });
        }
        drop(rank);
        self.write_modules(judge);
        for note in std::mem::take(&mut judge.notes) {
            judge.sink.write(&Entry::Note(note));
        }
        let found = !races.is_empty();
        for race in races {
            let race = judge.named(race);
            judge.sink.write(&Entry::Race(race));
        }
        judge.sink.write(&Entry::Progress(progress));
        if found {
            judge.sink.sync();
        }
    }

    fn write_modules(&self, judge: &mut Judge<T>) {
        for module in self.rank().modules().fresh() {
            let (path, build_id) = (module.path.clone(), module.build_id.clone());
            judge.sink.write(&Entry::Module { id: module.id(), path, build_id });
        }
    }

    /// What went wrong with writing since the last call.
    pub fn failure(&self) -> Option<std::io::Error> {
        lock(&self.judge).sink.failure()
    }
}

impl<T: Transport> Judge<T> {
    /// With the allocation that the bytes lie in.
    fn named(&self, race: thrille_model::Race) -> thrille_model::Race {
        let offset = race.object.offset;
        let holds = |a: &&Allocation| a.segment == race.object.segment && a.lo <= offset && offset < a.lo + a.len;
        let allocation = (self.allocations.iter().rev().find(holds)).map(|a| (a.number, a.lo, a.len, a.site));
        thrille_model::Race { object: Object { allocation, ..race.object }, ..race }
    }

    fn give_up(&mut self, error: &AnalysisError) {
        self.sink.write(&Entry::Note(format!("the analysis stopped in phase {}: {error}", self.progress.phase.0)));
        self.sink.sync();
        self.analysis = None;
    }
}

/// How many barriers until the next cut, if `barriers` have passed since the last and the busiest rank gathered so many records.
fn barriers_to_let_pass(barriers: u64, busiest: u64, longest_ms: u64) -> u64 {
    let by_records = barriers.saturating_mul(WANTED) / busiest.max(1);
    let by_time = barriers.saturating_mul(LONGEST.as_millis() as u64) / longest_ms.max(1);
    by_records.min(by_time).min(barriers * 2).clamp(1, MOST_BARRIERS)
}

#[cfg(test)]
mod tests {
    use super::barriers_to_let_pass;

    #[test]
    fn cuts_come_when_there_is_something_to_tell() {
        assert_eq!(barriers_to_let_pass(1, 0, 0), 2);
        assert_eq!(barriers_to_let_pass(4096, 10, 10), 4096);
        assert_eq!(barriers_to_let_pass(64, 1 << 20, 10), 2);
        assert_eq!(barriers_to_let_pass(64, 10, 10_000), 12);
        assert_eq!(barriers_to_let_pass(1, u64::MAX, u64::MAX), 1);
    }
}
