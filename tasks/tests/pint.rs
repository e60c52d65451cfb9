//! PINT on real threads: random programs, run by a pool of workers that take tasks in any order, have the racy bytes of the definition and those that
//! STINT finds in a serial run.
//!
//! `THRILLE_NIGHTLY=1` runs 10,000 programs of each kind, by day 400.

mod random;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use random::{Language, Run, Statement, program};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use thrille_model::Interval;
use thrille_tasks::pint::{Block, Core, Logs, Path, Pint};
use thrille_tasks::{Access, AnyDetector, End, Guard, Mode, SiteId, Touch};

const WORKERS: usize = 3;

/// A byte that no program has: a race names a site that was given up.
const GIVEN_UP: u64 = u64::MAX;

/// Gives up whatever it can, as soon as it can.
struct Sweeps(Arc<Mutex<Sites>>);

#[derive(Default)]
struct Sites {
    looked_at: BTreeSet<SiteId>,
    candidates: BTreeSet<SiteId>,
    given_up: BTreeSet<SiteId>,
    sweeps: bool,
}

impl Logs for Sweeps {
    fn looked_at(&self, sites: &[SiteId]) -> bool {
        let mut all = self.0.lock().expect("no panic");
        all.looked_at.extend(sites);
        if sites.is_empty() || std::mem::replace(&mut all.sweeps, true) {
            return false;
        }
        all.candidates = std::mem::take(&mut all.looked_at);
        true
    }

    fn needed(&self, sites: &mut dyn Iterator<Item = SiteId>) {
        let mut all = self.0.lock().expect("no panic");
        for site in sites {
            if all.candidates.remove(&site) {
                all.looked_at.insert(site);
            }
        }
    }

    fn end_sweep(&self) {
        let mut all = self.0.lock().expect("no panic");
        let candidates = std::mem::take(&mut all.candidates);
        all.given_up.extend(candidates);
        all.sweeps = false;
    }
}

/// Tasks that somebody waits for.
type Count = Arc<AtomicUsize>;

/// A task that waits for a worker.
struct Job<'a> {
    body: &'a [Statement],
    path: Path,
    /// The innermost finish scope that it is in.
    scope: Count,
    /// Its siblings.
    among: Count,
}

struct Pool<'a> {
    language: Language,
    names: &'a [Guard],
    jobs: Mutex<Vec<Job<'a>>>,
    sites: AtomicU32,
    picks: AtomicU32,
    over: AtomicBool,
}

impl<'a> Pool<'a> {
    /// Some job, the oldest, the newest or one in between.
    fn pick(&self) -> Option<Job<'a>> {
        let mut jobs = self.jobs.lock().expect("no panic");
        let pick = self.picks.fetch_add(0x9e37_79b9, Ordering::Relaxed) >> 7;
        (!jobs.is_empty()).then(|| {
            let at = pick as usize % jobs.len();
            jobs.swap_remove(at)
        })
    }

    fn help(&self, core: &mut Core) {
        match self.pick() {
            Some(job) => self.carry_out(core, job),
            None => std::thread::yield_now(),
        }
    }

    fn wait_for(&self, core: &mut Core, count: &Count) {
        core.leave();
        while count.load(Ordering::Acquire) > 0 {
            self.help(core);
        }
    }

    fn carry_out(&self, core: &mut Core, mut job: Job<'a>) {
        self.task(core, job.body, &mut job.path, &job.scope);
        job.among.fetch_sub(1, Ordering::Release);
        job.scope.fetch_sub(1, Ordering::Release);
    }

    fn task(&self, core: &mut Core, body: &'a [Statement], path: &mut Path, scope: &Count) {
        core.goes_to(Some(path));
        let children = Count::default();
        self.body(core, body, path, scope, &children);
        if self.language.strict {
            self.wait_for(core, &children);
            path.wait();
        }
        core.goes_to(Some(path));
        core.goes_to(None);
        path.end().expect("well nested");
    }

    fn body(&self, core: &mut Core, body: &'a [Statement], path: &mut Path, scope: &Count, children: &Count) {
        for statement in body {
            match statement {
                &Statement::Access(lo, len, write, guard) => {
                    let site = SiteId(self.sites.fetch_add(1, Ordering::Relaxed));
                    core.access(Access {
                        at: Interval::from_len(lo, len).expect("bytes"),
                        touch: if write { Touch::Write } else { Touch::Read },
                        guard: self.names[guard],
                        site,
                    });
                    core.done_with(site, 1);
                }
                Statement::Async(body) => {
                    core.leave();
                    let child = path.spawn().expect("few strands");
                    children.fetch_add(1, Ordering::Relaxed);
                    scope.fetch_add(1, Ordering::Relaxed);
                    let job = Job { body, path: child, scope: Arc::clone(scope), among: Arc::clone(children) };
                    self.jobs.lock().expect("no panic").push(job);
                }
                Statement::Included(body) => {
                    core.leave();
                    let mut child = path.spawn().expect("few strands");
                    self.task(core, body, &mut child, scope);
                    path.goes_on_after(&child, End::Included).expect("few strands");
                }
                Statement::Finish(body) => {
                    path.begin_finish();
                    let inner = Count::default();
                    self.body(core, body, path, &inner, children);
                    if path.finishes_nothing() {
                        // The strand goes on.
                        path.end_finish().expect("well nested");
                        continue;
                    }
                    self.wait_for(core, &inner);
                    path.end_finish().expect("well nested");
                }
                Statement::Wait if path.waits_for_nothing() => continue,
                Statement::Wait => {
                    self.wait_for(core, children);
                    path.wait();
                }
            }
            core.goes_to(Some(path));
        }
    }
}

/// The bytes that PINT finds racy, and how often a wait left somebody behind.
fn found(language: Language, statements: &[Statement]) -> (BTreeSet<u64>, u64) {
    let racy = Arc::new(Mutex::new(BTreeSet::new()));
    let (sink, sites) = (Arc::clone(&racy), Arc::<Mutex<Sites>>::default());
    let known = Arc::clone(&sites);
    let found = move |race: &thrille_tasks::Race, _| {
        let mut racy = sink.lock().expect("no panic");
        racy.extend(race.bytes.lo()..race.bytes.hi());
        let given_up = &known.lock().expect("no panic").given_up;
        if given_up.contains(&race.earlier.site) || given_up.contains(&race.later.site) {
            racy.insert(GIVEN_UP);
        }
    };
    let pint = Pint::start(Box::new(found), Box::new(|_| {}), Box::new(Sweeps(sites))).expect("threads");
    let (guards, names) = random::guards();
    *pint.guards() = guards;
    let (jobs, sites, over) = (Mutex::default(), AtomicU32::new(0), AtomicBool::new(false));
    let pool = Pool { language, names: &names, jobs, sites, picks: AtomicU32::new(statements.len() as u32), over };
    std::thread::scope(|threads| {
        for _ in 1..WORKERS {
            let mut core = pint.core();
            let pool = &pool;
            threads.spawn(move || {
                while !pool.over.load(Ordering::Acquire) {
                    pool.help(&mut core);
                }
            });
        }
        let (mut core, mut path, all) = (pint.core(), pint.first(), Count::default());
        pool.task(&mut core, statements, &mut path, &all);
        pool.wait_for(&mut core, &all);
        pool.over.store(true, Ordering::Release);
    });
    pint.settle();
    let racy = racy.lock().expect("no panic").clone();
    (racy, pint.irregular())
}

fn agrees(language: Language, statements: &[Statement]) -> Result<(), TestCaseError> {
    let (guards, names) = random::guards();
    let run = Run::new(language, &guards, &names, &[Mode::Stint], statements);
    let (racy, (_, stint, _, by_stint)) = (run.racy(), &run.detectors[0]);
    let (by_pint, irregular) = found(language, statements);
    prop_assert!(by_pint.is_subset(&racy), "pint reports {:?}, racy are {:?}", by_pint, racy);
    let left = AnyDetector::irregular(stint);
    prop_assert!(irregular == 0 || left > 0, "{} waits are irregular here, {} for stint", irregular, left);
    if irregular == 0 && left == 0 {
        prop_assert_eq!(&by_pint, &racy);
        prop_assert_eq!(&by_pint, by_stint);
    }
    Ok(())
}

fn all(language: Language) {
    let cases = if std::env::var_os("THRILLE_NIGHTLY").is_some() { 10_000 } else { 400 };
    TestRunner::new(Config { cases, failure_persistence: None, max_shrink_iters: 200, ..Config::default() })
        .run(&program(language), |statements| agrees(language, &statements))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn async_finish() {
    all(Language { guards: 0, waits: false, strict: false });
}

#[test]
fn several_locks_and_atomics() {
    all(Language { guards: 4, waits: false, strict: false });
}

#[test]
fn spawn_and_conditional_sync() {
    all(Language { guards: 0, waits: true, strict: true });
}

#[test]
fn taskwait_and_taskgroup() {
    all(Language { guards: 1, waits: true, strict: false });
}

/// Two threads leave more than traces and queue have room for, without a pause: both come to their end, and all of it is looked at.
#[test]
fn there_is_only_so_much_room() {
    const PIECES: u64 = 10;
    const EACH: u64 = 1 << 14;
    let races = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&races);
    let found = move |_: &thrille_tasks::Race, _| _ = seen.fetch_add(1, Ordering::Relaxed);
    let pint = Pint::start(Box::new(found), Box::new(|_| {}), Box::new(Sweeps(Arc::default()))).expect("threads");
    let mut path = pint.first();
    let child = path.spawn().expect("few strands");
    std::thread::scope(|threads| {
        for (path, touch) in [(&path, Touch::Write), (&child, Touch::Read)] {
            let mut core = pint.core();
            threads.spawn(move || {
                core.goes_to(Some(path));
                for number in 0..PIECES * EACH {
                    // Apart from one another; the last one is everybody's.
                    let lo =
                        if number + 1 == PIECES * EACH { 1 } else { number * 8 + 4 * u64::from(touch == Touch::Read) };
                    let at = Interval::from_len(lo + 8, 1).expect("a byte");
                    core.access(Access { at, touch, guard: Guard::NONE, site: SiteId(0) });
                }
                core.goes_to(None);
            });
        }
    });
    pint.settle();
    // The writer finds it, or both readers do.
    assert!((1..=2).contains(&races.load(Ordering::Relaxed)));
}

/// Memory goes back in the end, each block once, and not before it is forgotten: what is at its address then races with nobody.
#[test]
fn memory_goes_back() {
    const BLOCKS: u64 = 100;
    const LEN: u64 = 4 << 20;
    let (given, races) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
    let (back, seen) = (Arc::clone(&given), Arc::clone(&races));
    let pint = Pint::start(
        Box::new(move |_, _| _ = seen.fetch_add(1, Ordering::Relaxed)),
        Box::new(move |block: Block| back.lock().expect("no panic").push(block.address)),
        Box::new(Sweeps(Arc::default())),
    )
    .expect("threads");
    let (mut core, mut path) = (pint.core(), pint.first());
    let mut child = path.spawn().expect("few strands");
    let (mut free, mut next, mut again) = (Vec::new(), 0, 0);
    for round in 0..BLOCKS {
        free.append(&mut given.lock().expect("no panic"));
        again += u64::from(!free.is_empty());
        // An allocator that gives out again what it has got back, to two parallel tasks in turn.
        let address = free.pop().unwrap_or_else(|| {
            next += LEN;
            next
        });
        core.goes_to(Some(if round % 2 == 0 { &path } else { &child }));
        let at = Interval::from_len(address, LEN).expect("bytes");
        core.access(Access { at, touch: Touch::Write, guard: Guard::NONE, site: SiteId(1) });
        assert!(core.free(Block { address, len: LEN }));
    }
    core.goes_to(None);
    pint.settle();
    child.wait();
    drop(pint);
    assert_eq!(races.load(Ordering::Relaxed), 0);
    free.append(&mut given.lock().expect("no panic"));
    free.sort_unstable();
    let all: Vec<u64> = (1..=next / LEN).map(|number| number * LEN).collect();
    assert_eq!(free, all, "each goes back once");
    assert_eq!(again + all.len() as u64, BLOCKS);
    assert!(!core.free(Block { address: 0, len: 1 }), "no strand, no delay");
}
