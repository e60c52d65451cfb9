//! A rank's whole life: its strands record, it makes the cuts with the others ([`cuts`](crate::cuts)) and writes down what they find.

use crate::cuts::{Cuts, Job, Spawn};
use crate::ledger::{Ledger, lock};
use crate::rank::Rank;
use crate::recorder::Recorder;
use crate::runs::Room;
use crate::sink::Sink;
use crate::stacks::{Entered, Entering, Stacks};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use thrille_history::Store;
use thrille_model::job::{Api, Entry, FunctionSampled, Progress, Sampled};
use thrille_model::{Act, Kind, Phase, Segment, StackId, wire};
use thrille_transport::Transport;

/// How long a rank that ends without the others waits for a cut that its worker is at.
const ABANDONS_AFTER: Duration = Duration::from_secs(3);

/// The cuts, and what the rank tells of itself.
struct Judge<T> {
    cuts: Cuts<T>,
    last_cut: (Phase, Instant),
    progress: Progress,
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
    ledger: Arc<Mutex<Ledger>>,
    judge: Mutex<Judge<T>>,
    /// The phase at whose beginning the next cut is.
    next_cut: AtomicU64,
}

impl<T: Transport + Send + 'static> Session<T> {
    /// Begins: the ranks can talk and the file is there.
    pub fn new(mut rank: Rank, transport: T, mut sink: Sink, tool: &str, api: Api) -> Self {
        sink.write(&Entry::Start {
            rank: thrille_model::Rank(transport.rank()),
            size: transport.size(),
            pid: std::process::id(),
            tool: tool.to_owned(),
            api,
        });
        let ledger = Arc::new(Ledger::new(sink));
        rank.ranks = transport.size();
        let judge = Judge {
            cuts: Cuts::new(transport, Arc::clone(&ledger)),
            last_cut: (Phase(0), Instant::now()),
            progress: Progress::default(),
            sampled: None,
            muted: rank.muted,
        };
        Self {
            rank: Mutex::new(rank),
            stacks: Mutex::new(Stacks::default()),
            ledger,
            judge: Mutex::new(judge),
            next_cut: AtomicU64::new(1),
        }
    }

    /// What of the program's loads and stores is observed.
    pub fn observes(&self, loads_and_stores: Observes) {
        let mut judge = lock(&self.judge);
        judge.progress.instrumented = loads_and_stores != Observes::Nothing;
        if loads_and_stores == Observes::Samples {
            // What samples cost is counted by the thread that they cost.
            judge.cuts.spawn(None);
        }
        drop(judge);
        self.rank().sees_flows = loads_and_stores == Observes::Everything;
    }

    /// Has long cuts made beside the program, by a thread that `spawn` starts. Whoever waits for that one calls `help` again and again.
    #[must_use]
    pub fn with_worker(self, spawn: Spawn, help: fn()) -> Self {
        {
            let cuts = &mut lock(&self.judge).cuts;
            cuts.spawn(Some(spawn));
            cuts.help = help;
        }
        self
    }

    /// Cuts are long from so many records on; the same for all ranks. For tests.
    #[must_use]
    pub fn with_long_cuts_from(self, records: u64) -> Self {
        lock(&self.judge).cuts.long = records;
        self
    }

    /// Finds conflicts by this kind of interval history; the findings are the same.
    #[must_use]
    pub fn with_history(self, history: Store) -> Self {
        lock(&self.judge).cuts.change(|analysis| analysis.with_history(history));
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

    /// A function is entered. Whether what it does is the doing of the line that calls it is asked when that line first calls it.
    #[inline]
    pub fn enter_function(&self, recorder: &mut Recorder, entry: Entering, is_callers: fn(u64) -> bool) {
        recorder.enter(entry, |before| self.new_stack(before, entry, is_callers));
    }

    /// The stack that these return addresses make, outermost first.
    pub fn stack(&self, calls: impl Iterator<Item = u64>) -> StackId {
        let mut stacks = lock(&self.stacks);
        calls.fold(StackId(0), |parent, call| stacks.child(parent, call))
    }

    #[cold]
    fn new_stack(&self, before: Entered, entry: Entering, is_callers: fn(u64) -> bool) -> Entered {
        let is_callers = is_callers(entry.function);
        // Whoever has the stacks does not ask for the rank.
        let line = (is_callers && before.caller == 0).then(|| self.rank().modules().site(entry.call));
        let mut stacks = lock(&self.stacks);
        let caller = line.map_or(if is_callers { before.caller } else { 0 }, |line| stacks.caller(line));
        Entered { stack: stacks.child(before.stack, entry.call), caller }
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
        lock(&self.ledger).allocated(segment, lo, len, site);
    }

    /// Something the reader of the report must know.
    pub fn note(&self, text: String) {
        lock(&self.ledger).note(text);
    }

    /// The last cut, with whoever is still there. `regular`: the program came to its end as it should.
    pub fn finish(&self, recorder: &mut Recorder, regular: bool) {
        let mut judge = lock(&self.judge);
        let judge = &mut *judge;
        if judge.cuts.over() {
            return;
        }
        if !judge.muted {
            self.cut(judge, recorder, true);
        }
        judge.count(recorder);
        let Some(mut analysis) = judge.cuts.end(&mut judge.progress) else { return };
        let (races, notes) = self.rank().task_races(recorder.strand());
        let traffic = self.rank().traffic();
        self.write_names();
        let mut ledger = lock(&self.ledger);
        let now = ledger.now();
        for race in analysis.races().cloned().chain(races) {
            ledger.race(race, now);
        }
        for note in notes {
            ledger.sink.write(&Entry::Note(note));
        }
        if !traffic.is_empty() {
            ledger.sink.write(&Entry::Traffic(traffic));
        }
        if let Some(sampled) = judge.sampled.take() {
            ledger.sink.write(&Entry::Sampled(sampled));
        }
        let progress = judge.progress;
        ledger.sink.write(&if regular { Entry::Finished(progress) } else { Entry::Stopped(progress) });
        ledger.sink.sync();
        drop(ledger);
        let _ = analysis.transport().leave(&wire::encode(&progress));
    }

    /// Instrumented code has turned up, if only in a library that was loaded later.
    pub fn is_instrumented(&self) {
        lock(&self.judge).progress.instrumented = true;
    }

    /// The others may not come to the exchanges that are left: a limit on the wait for them.
    pub fn hurry(&self, within: Duration) {
        lock(&self.judge).hurry(within);
    }

    /// The end of a rank whose others cannot come to a last exchange: they may be waiting for it inside their library.
    pub fn abandon(&self, recorder: Option<&mut Recorder>) {
        let mut judge = lock(&self.judge);
        let judge = &mut *judge;
        if let Some(recorder) = recorder {
            judge.count(recorder);
        }
        if judge.cuts.over() {
            return;
        }
        judge.hurry(ABANDONS_AFTER);
        let analysis = judge.cuts.end(&mut judge.progress);
        let progress = judge.progress;
        self.write_names();
        let mut ledger = lock(&self.ledger);
        ledger.sink.write(&Entry::Progress(progress));
        ledger.sink.sync();
        drop(ledger);
        if let Some(mut analysis) = analysis {
            let _ = analysis.transport().leave(&wire::encode(&progress));
        }
    }

    /// Adds a strand's counts when it ends.
    pub fn count(&self, recorder: &mut Recorder) {
        lock(&self.judge).count(recorder);
    }

    /// Gathers what the cut is of, and makes it or has it made. No cut is begun before the one before is over.
    fn cut(&self, judge: &mut Judge<T>, recorder: &mut Recorder, last: bool) {
        let Judge { cuts, last_cut, progress, .. } = judge;
        if cuts.analysis(progress).is_none() {
            return;
        }
        let elapsed = last_cut.1.elapsed();
        let mut rank = self.rank();
        let gathered = rank.gather(recorder, last, elapsed.as_millis() as u64);
        rank.go_on_in(cuts.room());
        progress.phase = rank.phase();
        progress.recorded = rank.recorded;
        progress.dropped = rank.dropped;
        progress.strands = rank.threads() as u32;
        progress.most_held = progress.most_held.max(gathered.accesses.len() as u64);
        progress.spent = recorder.spent;
        drop(rank);
        // What the gathered accesses refer to is in the file before anybody can find a race between them.
        self.write_names();
        let mut ledger = lock(&self.ledger);
        ledger.sink.trace(&gathered.accesses, &gathered.events);
        let moment = ledger.now();
        drop(ledger);

        let told = Progress {
            executed: progress.executed + recorder.executed,
            observed: progress.observed + recorder.observed,
            ..*progress
        };
        let barriers = progress.phase.0.saturating_sub(last_cut.0.0).max(1);
        let pass = cuts.make(Job { gathered, progress: told, moment, barriers }, last, progress);
        self.next_cut.store(progress.phase.0 + pass, Ordering::Relaxed);
        *last_cut = (progress.phase, Instant::now());
    }

    /// Writes down what stacks, calls and modules are called that were not there before.
    fn write_names(&self) {
        let mut rank = self.rank();
        let (mut ledger, mut stacks) = (lock(&self.ledger), lock(&self.stacks));
        for (id, parent, call) in stacks.fresh() {
            let call = rank.modules().site(call);
            ledger.sink.write(&Entry::Stack { id, parent, call });
        }
        drop(stacks);
        for (id, call) in rank.fresh_callers() {
            ledger.sink.write(&Entry::Caller { id, call });
        }
        for module in rank.modules().fresh() {
            let (id, bias) = (module.id(), module.bias);
            let (path, build_id, ranges) = (module.path.clone(), module.build_id.clone(), module.ranges.clone());
            ledger.sink.write(&Entry::Module { id, path, build_id, bias, ranges });
        }
    }

    /// What went wrong with writing since the last call.
    pub fn failure(&self) -> Option<std::io::Error> {
        lock(&self.ledger).sink.failure()
    }
}

impl<T: Transport + Send + 'static> Judge<T> {
    fn count(&mut self, recorder: &mut Recorder) {
        self.progress.executed += std::mem::take(&mut recorder.executed);
        self.progress.observed += std::mem::take(&mut recorder.observed);
    }

    fn hurry(&mut self, within: Duration) {
        self.cuts.hurry = Some(within);
        if let Some(analysis) = self.cuts.analysis(&mut self.progress) {
            analysis.transport().hurry(within);
        }
    }
}
