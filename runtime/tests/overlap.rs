//! Random programs whose ranks are threads with sessions of their own: cuts that a worker makes beside the program find what cuts find that the program waits for, and what the
//! definition of a race names.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use thrille_model::job::{Api, Entry, rank_file, trace_file};
use thrille_model::oracle::{SitePair, races};
use thrille_model::*;
use thrille_runtime::sink::Sink;
use thrille_runtime::{End, Modules, Operands, Recorder, Region, Regions, Session};
use thrille_transport::{Local, local};

const RANKS: u32 = 3;
const LEN: u64 = 32;

/// What a rank does; a number decides the rest.
#[derive(Clone, Copy, Debug)]
enum Step {
    Touch(u32),
    Operate(u32),
    Quiet,
    Send { to: u32, seq: u64 },
    Receive { from: u32, seq: u64 },
    Barrier,
}

/// Each rank's part of a program: a message is received after it was sent, in the order of the list.
fn program(list: &[(u32, u8, u32)]) -> Vec<Vec<Step>> {
    let mut steps = vec![Vec::new(); RANKS as usize];
    let mut sent: Vec<(u32, u32, u64)> = Vec::new();
    for (&(rank, what, n), seq) in list.iter().zip(0..) {
        let me = rank % RANKS;
        let step = match what % 16 {
            0..6 => Step::Touch(n),
            6..9 => Step::Operate(n),
            9 => Step::Quiet,
            10..12 => {
                let to = (me + 1 + n % 2) % RANKS;
                sent.push((me, to, seq));
                Step::Send { to, seq }
            }
            12..14 => match sent.iter().position(|&(_, to, _)| to == me) {
                Some(i) => {
                    let (from, _, seq) = sent.remove(i);
                    Step::Receive { from, seq }
                }
                None => continue,
            },
            _ => {
                for steps in &mut steps {
                    steps.push(Step::Barrier);
                }
                continue;
            }
        };
        steps[me as usize].push(step);
    }
    steps
}

fn start(owner: u32) -> u64 {
    4096 * (u64::from(owner) + 1)
}

fn regions() -> Regions {
    let of = |owner| {
        let start = start(owner);
        Region { start, end: start + LEN, owner: Rank(owner), segment: Segment::Heap, offset: 0 }
    };
    Regions::new((0..RANKS).map(of).collect())
}

struct Simulated {
    session: Session<Local>,
    recorder: Recorder,
    naive: Vec<Access>,
}

impl Simulated {
    fn me(&self) -> Rank {
        self.recorder.strand().rank
    }

    fn naive(&mut self, owner: u32, lo: u64, len: u64, kind: Kind, pc: u64, span: Span) {
        let site = self.session.rank().modules().site(pc);
        self.naive.push(Access {
            place: Place::solid(Rank(owner), Segment::Heap, Interval::from_len(lo, len).unwrap()),
            kind,
            strand: self.recorder.strand(),
            begin: self.recorder.pos(),
            span,
            phases: Phases { lo: Phase(0), hi: None },
            locks: LocksetId::EMPTY,
            act: Act::Load,
            site,
            stack: StackId(0),
            times: 1,
        });
    }

    fn step(&mut self, step: Step, barrier: &Barrier) {
        let me = self.me();
        match step {
            Step::Touch(n) => {
                let (owner, lo, write) = (n % RANKS, u64::from(n >> 2) % LEN, n >> 8 & 1 == 1);
                let len = (1 + u64::from(n >> 9) % 8).min(LEN - lo);
                let kind = if write { Kind::Write } else { Kind::Read };
                let pc = 100 + u64::from(n >> 12) % 4 + 10 * u64::from(write) + 20 * u64::from(me.0);
                self.session.touch(&mut self.recorder, start(owner) + lo, len, kind, Act::Load, pc);
                self.naive(owner, lo, len, kind, pc, Span::Point);
            }
            Step::Operate(n) => {
                self.session.rank().issue(&mut self.recorder);
                let ends = [(me.0, Kind::Read, n >> 1 & 31), (n >> 7 & 1, Kind::Write, n >> 8 & 31)];
                for (i, (owner, kind, lo)) in ends.into_iter().enumerate() {
                    let (lo, pc) = (u64::from(lo), 300 + i as u64 + 20 * u64::from(me.0));
                    let len = 8.min(LEN - lo);
                    let (owner_, segment) = (Rank(owner), Segment::Heap);
                    let end = End { owner: owner_, segment, lo, len, comb: Comb::SOLID, kind, act: Act::Load };
                    let until = Operands::Until(Ctx(0), Order::None);
                    self.session.rank().end(&mut self.recorder, end, pc, until);
                    let span = Span::Operation(Operation { ctx: Ctx(0), end: None, order: Order::None });
                    self.naive(owner, lo, len, kind, pc, span);
                }
            }
            Step::Quiet => {
                self.session.rank().quiet(&mut self.recorder, Ctx(0));
                for access in &mut self.naive {
                    if let Span::Operation(operation) = &mut access.span {
                        operation.end.get_or_insert(self.recorder.pos());
                    }
                }
            }
            Step::Send { to, seq } => {
                let token = Token::Message { group: 0, from: me, to: Rank(to), tag: 0, seq };
                self.session.rank().release(&mut self.recorder, token);
            }
            Step::Receive { from, seq } => {
                let token = Token::Message { group: 0, from: Rank(from), to: me, tag: 0, seq };
                self.session.rank().acquire(&mut self.recorder, token);
            }
            Step::Barrier => {
                self.session.enter_barrier(&mut self.recorder);
                barrier.wait();
                self.session.leave_barrier(&mut self.recorder);
            }
        }
    }
}

fn read<V: serde::de::DeserializeOwned>(path: &Path) -> Vec<V> {
    let (values, error) = wire::read_frames(&mut File::open(path).unwrap());
    assert!(error.is_none(), "{error:?}");
    values
}

fn spawn(work: Box<dyn FnOnce() + Send>) -> bool {
    std::thread::spawn(work);
    true
}

/// What the ranks write down that they found, and what the definition says. Cuts are long from so many records on; these ranks have workers. One
/// may die at the end, without a word.
fn run(
    steps: &[Vec<Step>],
    long: u64,
    workers: fn(u32) -> bool,
    dies: Option<u32>,
) -> (BTreeSet<SitePair>, BTreeSet<SitePair>) {
    let dir = tempfile::tempdir().unwrap();
    let barrier = Barrier::new(RANKS as usize);
    let naive: Vec<Vec<Access>> = std::thread::scope(|scope| {
        let ranks = local(RANKS).into_iter().zip(steps).zip(0..);
        let threads: Vec<_> = ranks
            .map(|((transport, steps), me)| {
                let (dir, barrier) = (dir.path(), &barrier);
                scope.spawn(move || {
                    let (rank, recorder) =
                        thrille_runtime::Rank::new(Rank(me), regions(), Modules::new(Vec::new), 1 << 20);
                    let sink = Sink::create(dir, Rank(me)).and_then(|sink| sink.traced(dir, Rank(me))).unwrap();
                    let mut session =
                        Session::new(rank, transport, sink, "test", Api::OpenShmem).with_long_cuts_from(long);
                    if workers(me) {
                        session = session.with_worker(spawn, || {});
                    }
                    let mut simulated = Simulated { session, recorder, naive: Vec::new() };
                    for &step in steps {
                        simulated.step(step, barrier);
                    }
                    let Simulated { session, mut recorder, naive } = simulated;
                    if dies != Some(me) {
                        session.finish(&mut recorder, dies.is_none());
                    }
                    naive
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let (mut found, mut events) = (BTreeSet::new(), Vec::new());
    for me in (0..RANKS).map(Rank) {
        for entry in read(&dir.path().join(rank_file(me))) {
            if let Entry::Race(race) = entry {
                let (a, b) = (race.first.site, race.second.site);
                found.insert((a.min(b), a.max(b)));
            }
        }
        let cuts: Vec<(Vec<Access>, Vec<SyncEvent>)> = read(&dir.path().join(trace_file(me)));
        events.extend(cuts.into_iter().flat_map(|(_, events)| events));
    }
    (found, races(&naive.concat(), &events, &Locksets::default()))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 40,
        rng_seed: RngSeed::Fixed(8),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]
    #[test]
    fn cuts_beside_the_program_find_the_same(
        list in prop::collection::vec((any::<u32>(), any::<u8>(), any::<u32>()), 1..80),
    ) {
        let steps = program(&list);
        let (waited_for, defined) = run(&steps, u64::MAX, |_| false, None);
        prop_assert_eq!(&waited_for, &defined);
        let (beside, _) = run(&steps, 0, |_| true, None);
        prop_assert_eq!(&beside, &defined);
        // Some cuts are long, and some ranks make those themselves.
        let (mixed, _) = run(&steps, 3, |rank| rank != 1, None);
        prop_assert_eq!(&mixed, &defined);
        // A rank dies when its worker is at a cut, or has just made it: races may be lost, none is made up.
        let barrier = |step: &Step| matches!(step, Step::Barrier);
        let until_last = |steps: &Vec<Step>| steps[..steps.iter().rposition(barrier).map_or(0, |last| last + 1)].to_vec();
        let (left, defined) = run(&steps.iter().map(until_last).collect::<Vec<_>>(), 0, |_| true, Some(1));
        prop_assert!(left.is_subset(&defined));
    }
}

#[test]
fn nobody_is_ahead_by_more_than_one_batch() {
    // A worker that never comes to its first cut holds its rank at the second, and thereby the others.
    static STOPPED: Barrier = Barrier::new(2);
    static HELPED: AtomicUsize = AtomicUsize::new(0);
    fn stopped(work: Box<dyn FnOnce() + Send>) -> bool {
        std::thread::spawn(|| {
            STOPPED.wait();
            work();
        });
        true
    }
    let dir = tempfile::tempdir().unwrap();
    let (rank, mut recorder) = thrille_runtime::Rank::new(Rank(0), regions(), Modules::new(Vec::new), 1 << 20);
    let sink = Sink::create(dir.path(), Rank(0)).unwrap();
    let transport = local(1).remove(0);
    let help = || {
        // The rank waits; only now may the worker begin.
        if HELPED.fetch_add(1, Ordering::Relaxed) == 0 {
            STOPPED.wait();
        }
    };
    let session = Session::new(rank, transport, sink, "test", Api::OpenShmem).with_long_cuts_from(0);
    let session = session.with_worker(stopped, help);
    let mut pass = || {
        session.enter_barrier(&mut recorder);
        session.leave_barrier(&mut recorder);
    };
    pass();
    assert_eq!(HELPED.load(Ordering::Relaxed), 0, "the program goes on beside its first cut");
    pass();
    assert!(HELPED.load(Ordering::Relaxed) > 0, "and waits for it at the second");
    session.finish(&mut recorder, true);
    let entries: Vec<Entry> = read(&dir.path().join(rank_file(Rank(0))));
    let cuts = entries.iter().filter(|entry| matches!(entry, Entry::Progress(_))).count();
    assert_eq!(cuts, 3, "each cut was made, and the last");
}
