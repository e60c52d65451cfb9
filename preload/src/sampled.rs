//! Which loads and stores are looked at: the policies of `thrille_sampling`, asked by each thread for itself.
//!
//! | state | whose | written by |
//! |---|---|---|
//! | [`PLAN`] | the process's | once, when observation begins |
//! | [`Seat`] | its thread's, by the pointer in its block | its thread |
//! | [`GENERATION`], [`PHASE`] | the process's | allocations, global barriers; threads notice at their next event, as they notice new regions |
//! | [`CAME`] | the process's | who comes to a global barrier |
//! | [`COVERAGE`] | the process's | threads that end, under its lock |

use crate::entry::{Block, Looks, block};
#[cfg(feature = "shmem")]
use crate::rank::THREADED;
use crate::rank::{SESSION, complain};
use crate::{meetings, sites, uncounted};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use thrille_model::job::{ENV_BUDGET, ENV_RUN_DIR, ENV_SAMPLING, ENV_SEED, FunctionSampled, Sampled};
use thrille_model::{Act, Kind, Strand};
use thrille_phase2::protocol::ENV_COORDINATOR;
use thrille_runtime::{Observes, Recorder};
use thrille_sampling::{Budget, Controller, Coverage, Entry, Gaps, Look, Name, Sampler, Sampling, Taken};

/// What the launcher said.
#[derive(Debug)]
struct Plan {
    sampling: Sampling,
    budget: Option<Budget>,
    seed: u64,
    ticks_per_us: f64,
}

static PLAN: OnceLock<Plan> = OnceLock::new();

/// Raised when memory is shared that was not.
static GENERATION: AtomicU32 = AtomicU32::new(0);

/// The barrier that the present phase began at.
static PHASE: AtomicU64 = AtomicU64::new(0);

/// How many phases have begun.
static PHASES: AtomicU64 = AtomicU64::new(0);

/// When this process came to the barrier that it is at.
static CAME: AtomicU64 = AtomicU64::new(0);

/// Of threads that have ended.
static COVERAGE: Mutex<Option<Coverage>> = Mutex::new(None);

/// One thread's sampling, and what of the process it has noticed.
pub struct Seat {
    sampler: Sampler,
    /// Calls observed that have not been charged for.
    calls: u32,
    /// The same of calls that were let pass.
    passed: u32,
    /// Whether the budget was used up when calls were last charged for.
    over: bool,
    generation: u32,
    phase: u64,
}

/// What an entry of a function costs when it is decided upon, in nanoseconds; counting it is part of the hook.
const DECISION_NS: f64 = 40.0;

/// What a site that is told costs besides what is measured, in nanoseconds: the registers that its hook saves, and keeping the account.
const TELLING_NS: f64 = 50.0;

/// What observing a call of the communication library costs, in nanoseconds, without records of what it touches.
const CALL_NS: f64 = 60.0;
/// One that counts the updates of a word, and writes down which one it made or saw, costs so many times that.
const COUNTED: u32 = 3;
/// A section of a lock, with what the exchange takes to follow it, costs so many times that.
#[cfg(feature = "shmem")]
const SECTION: u32 = 32;
/// One that is let pass costs this part of it.
const PASSED: u32 = 8;
/// So many are charged for at a time.
const CALLS: u32 = 64;

/// The processor's clock.
#[inline]
pub fn ticks() -> u64 {
    // SAFETY: reads a counter that every x86-64 processor has.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// How fast it is.
fn ticks_per_us() -> f64 {
    const LONG_ENOUGH: Duration = Duration::from_micros(200);
    let (began, from) = (Instant::now(), ticks());
    while began.elapsed() < LONG_ENOUGH {
        std::hint::spin_loop();
    }
    let passed = ticks().wrapping_sub(from);
    (passed as f64 / (began.elapsed().as_nanos() as f64 / 1000.0)).max(1.0)
}

/// The processor's clock, without the time that this process did not run: a budget is a share of what the program takes, not of what others take from it.
/// The system is asked once in a millisecond.
pub fn worked() -> u64 {
    static ASKED: AtomicU64 = AtomicU64::new(0);
    static AWAY: AtomicU64 = AtomicU64::new(0);
    let Some(plan) = PLAN.get() else { return ticks() };
    let now = ticks();
    let asked = ASKED.load(Ordering::Relaxed);
    if now.wrapping_sub(asked) as f64 > 1000.0 * plan.ticks_per_us {
        let ran = (cpu_ns(libc::CLOCK_PROCESS_CPUTIME_ID) as f64 / 1000.0 * plan.ticks_per_us) as u64;
        AWAY.store(now.saturating_sub(ran), Ordering::Relaxed);
        ASKED.store(now, Ordering::Relaxed);
    }
    now.saturating_sub(AWAY.load(Ordering::Relaxed))
}

/// What the launcher said, or what suits how the program was built: this may be asked before the program begins, by its constructors.
fn settled() -> &'static Plan {
    PLAN.get_or_init(|| {
        let var = |name: &str| std::env::var(name).ok();
        let said = var(ENV_SAMPLING).and_then(|text| text.parse::<Sampling>().ok());
        let budget = var(ENV_BUDGET).and_then(|text| text.parse::<Budget>().ok());
        let (sampling, budget) = match said {
            Some(sampling) => (sampling, budget),
            // Where looking costs little, it costs no more than that.
            None if sites::any() => (Sampling::By(Name::HA), Some(budget.unwrap_or(Budget::USUAL))),
            None => (Sampling::Full, None),
        };
        let seed = var(ENV_SEED).and_then(|text| text.parse().ok()).unwrap_or(1);
        let ticks_per_us = if budget.is_some() { ticks_per_us() } else { 1.0 };
        Plan { sampling, budget, seed, ticks_per_us }
    })
}

/// For functions that the compiler has doubled: none if nobody wants this process observed.
pub fn for_sites() -> Option<Sampling> {
    std::env::var_os(ENV_RUN_DIR)?;
    if std::env::var_os(ENV_COORDINATOR).is_some() {
        // Where strands wait for each other, every access is a place to wait at.
        return Some(Sampling::Full);
    }
    let plan = settled();
    if let Sampling::By(name) = plan.sampling {
        let controller = Controller::new(plan.budget, plan.ticks_per_us, worked());
        sites::sampling::begin(&name, plan.seed, controller, plan.ticks_per_us);
    }
    Some(plan.sampling)
}

/// Tells what will be observed of an instrumented program, and complains of what is not understood.
pub fn plan(rank: u32) -> Observes {
    let wrong = |name: &str, error: &dyn std::fmt::Display| complain(rank, &format!("{name} is ignored: {error}"));
    if let Some(Err(error)) = std::env::var(ENV_SAMPLING).ok().map(|text| text.parse::<Sampling>()) {
        wrong(ENV_SAMPLING, &error);
    }
    if let Some(Err(error)) = std::env::var(ENV_BUDGET).ok().map(|text| text.parse::<Budget>()) {
        wrong(ENV_BUDGET, &error);
    }
    match settled().sampling {
        Sampling::Full => Observes::Everything,
        Sampling::NoLocal | Sampling::By(_) => Observes::Samples,
    }
}

/// The time, if somebody measures.
#[inline]
pub fn clock() -> Option<u64> {
    PLAN.get().filter(|plan| plan.budget.is_some()).map(|_| ticks())
}

/// What a decision about a call costs.
pub fn decision_ticks() -> u64 {
    PLAN.get().map_or(0, |plan| (plan.ticks_per_us * DECISION_NS / 1000.0) as u64)
}

/// What telling of a site costs besides what is measured.
pub fn telling_ticks() -> u64 {
    PLAN.get().map_or(0, |plan| (plan.ticks_per_us * TELLING_NS / 1000.0) as u64)
}

fn seat(name: &Name, plan: &Plan, strand: Strand) -> Option<Seat> {
    let controller = Controller::new(plan.budget, plan.ticks_per_us, ticks());
    let sampler = Sampler::new(name, Gaps::new(plan.seed, strand.rank.0, strand.index), controller)?;
    Some(Seat { sampler, calls: 0, passed: 0, over: false, generation: GENERATION.load(Ordering::Relaxed), phase: 0 })
}

/// This thread is observed from now on.
pub fn attach(strand: Strand) {
    let block = block();
    let plan = PLAN.get();
    let (looks, seat) = match plan.map(|plan| (plan, plan.sampling)) {
        None | Some((_, Sampling::Full)) => {
            thrille_runtime::quick::allow();
            (Looks::All, None)
        }
        Some((_, Sampling::NoLocal)) => (Looks::None, None),
        Some((plan, Sampling::By(name))) => match seat(&name, plan, strand) {
            Some(seat) => (Looks::Sampled, Some(seat)),
            None => (Looks::All, None),
        },
    };
    // SAFETY: the block is this thread's own.
    unsafe {
        (*block).seat = seat.map_or(std::ptr::null_mut(), |seat| Box::into_raw(Box::new(seat)));
        (*block).looks = looks;
    }
}

/// It is no more: what it looked at is counted.
pub fn detach(recorder: &mut Recorder) {
    count(recorder);
    let block = block();
    // SAFETY: the block is this thread's own; a pointer in it came from a box in `attach` and is taken out here, once.
    unsafe {
        (*block).looks = Looks::None;
        let seat = std::mem::replace(&mut (*block).seat, std::ptr::null_mut());
        if !seat.is_null() {
            drop(Box::from_raw(seat));
        }
    }
}

/// Adds how many loads and stores this thread has executed.
pub fn count_executed(recorder: &mut Recorder) {
    // SAFETY: the block is this thread's own, and nobody else in this thread uses the seat now.
    if let Some(seat) = unsafe { (*block()).seat.as_mut() } {
        recorder.executed += seat.sampler.take_executed();
        let controller = seat.sampler.controller();
        recorder.spent = controller.measures().then(|| controller.account(ticks()));
    }
}

/// Adds what this thread has looked at so far.
pub fn count(recorder: &mut Recorder) {
    count_executed(recorder);
    // SAFETY: as above.
    let Some(seat) = (unsafe { (*block()).seat.as_mut() }) else { return };
    let coverage = seat.sampler.take_coverage(ticks());
    COVERAGE.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default().add(&coverage);
}

/// Says, before the last exchange, how the process was sampled.
pub fn tell() {
    let (Some(plan), Some(session)) = (PLAN.get(), SESSION.get()) else { return };
    if plan.sampling == Sampling::Full {
        return;
    }
    let mut coverage = COVERAGE.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
    if let Some(doubled) = sites::sampling::take_coverage(worked()) {
        // What the threads spent by themselves is in it.
        (coverage.spent_us, coverage.calls_us, coverage.elapsed_us) = (0, 0, 0);
        coverage.add(&doubled);
    }
    let figures = |f: &thrille_sampling::FunctionCoverage| {
        let (calls, calls_taken, executed, taken) = (f.calls, f.calls_taken, f.executed, f.taken);
        let (sites, sites_taken) = (f.sites, f.sites_taken);
        (
            f.pc,
            FunctionSampled { calls, calls_taken, sites, sites_taken, executed, taken, ..FunctionSampled::default() },
        )
    };
    let sampled = Sampled {
        policy: plan.sampling.to_string(),
        seed: plan.seed,
        budget: plan.budget.map(Budget::thousandths),
        spent_us: if plan.budget.is_some() { coverage.spent_us } else { 0 },
        calls_us: if plan.budget.is_some() { coverage.calls_us } else { 0 },
        elapsed_us: coverage.elapsed_us,
        functions: Vec::new(),
    };
    if uncounted::was_dark() {
        let until = if cfg!(feature = "mpi") { "the end of the run" } else { "the next barrier" };
        session.note(format!(
            "order was not followed everywhere, since that took more than the budget: accesses behind such a place, up to {until}, are not in this \
             report; a larger --budget follows more"
        ));
    }
    session.sampled(sampled, &coverage.functions.iter().map(figures).collect::<Vec<_>>());
}

/// Memory is shared that was not, in a way that the regions do not tell.
#[cfg(feature = "shmem")]
pub fn shared_more() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

/// A phase begins at this barrier, called from there.
pub fn phase(barrier: u64) {
    PHASE.store(barrier, Ordering::Relaxed);
    PHASES.fetch_add(1, Ordering::Relaxed);
}

/// After a call of the program into us: what changed since the last one.
#[inline]
pub fn notice(block: *mut Block) {
    // SAFETY: the block is this thread's own, and so is the seat.
    unsafe {
        if (*block).looks == Looks::Sampled
            && let (Some(seat), Some(recorder)) = ((*block).seat.as_mut(), (*block).recorder.as_ref())
        {
            seat.notice(recorder);
        }
    }
}

/// A call takes a lock whose sections are followed.
#[cfg(feature = "shmem")]
pub fn counts_section() {
    add_calls(SECTION);
}

/// A call counts the updates of a word.
pub fn counts_word() {
    add_calls(COUNTED);
}

/// A call costs as much as so many more.
#[inline]
fn add_calls(more: u32) {
    // SAFETY: the block is this thread's own, and so is the seat.
    if let Some(seat) = unsafe { (*block()).seat.as_mut() } {
        seat.calls += more;
    }
}

/// An exchange of the ranks, of which the time counts that this thread was at work.
pub fn charge_exchange(work: impl FnOnce()) {
    // SAFETY: the block is this thread's own; what is done meanwhile does not use the seat.
    let measures = unsafe { (*block()).seat.as_mut() }.is_some_and(|seat| seat.sampler.controller().measures());
    let Some(plan) = PLAN.get().filter(|_| measures) else { return work() };
    let from = cpu_ns(libc::CLOCK_THREAD_CPUTIME_ID);
    work();
    let spent = (cpu_ns(libc::CLOCK_THREAD_CPUTIME_ID).saturating_sub(from) as f64 / 1000.0 * plan.ticks_per_us) as u64;
    let now = ticks();
    // SAFETY: as above.
    if let Some(seat) = unsafe { (*block()).seat.as_mut() } {
        seat.sampler.controller().charge_exchange(spent, now);
    }
    sites::sampling::charge(|controller| controller.charge_exchange(spent, worked()));
}

/// Comes to a global barrier, at which others wait for what was spent here.
pub fn come() {
    if let Some(delay) = keeps_account(|controller, _| controller.measures().then(|| controller.delay())).flatten() {
        CAME.store(ticks(), Ordering::Relaxed);
        meetings::come(delay);
    }
}

/// Goes on after it, having waited for others in turn.
pub fn go() {
    keeps_account(|controller, now| {
        if controller.measures() {
            let waited = ticks().wrapping_sub(CAME.load(Ordering::Relaxed));
            controller.charge_wait(meetings::go(), waited, now);
        }
    });
}

/// Tells who keeps the account, and the time there: where functions are there twice, the process has one.
fn keeps_account<R>(tell: impl Fn(&mut Controller, u64) -> R) -> Option<R> {
    // SAFETY: the block is this thread's own, and nobody else in this thread uses the seat now.
    let seat = unsafe { (*block()).seat.as_mut() }?;
    let told = sites::sampling::charge(|controller| tell(controller, worked()));
    told.or_else(|| Some(tell(seat.sampler.controller(), ticks())))
}

/// Nanoseconds that a thread or process has been at work.
fn cpu_ns(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the system writes the time there.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// How a call of the program that reads and writes memory is looked at.
#[derive(Clone, Copy)]
pub enum Looked {
    /// All are.
    All,
    /// This one is not.
    Not,
    /// This one is: [`judged`] is to be told.
    This(Taken),
}

/// Asks for such a call.
pub fn look(pc: u64) -> Looked {
    let block = block();
    // SAFETY: the block is this thread's own, and so is the seat.
    unsafe {
        match ((*block).looks, (*block).seat.as_mut()) {
            (Looks::All | Looks::Confirms, _) => Looked::All,
            (Looks::Sampled, Some(seat)) => {
                let look = if seat.skips(pc) { Look::Pass } else { seat.sampler.decide(pc) };
                match look {
                    Look::Take(taken) if !uncounted::is_dark() => Looked::This(taken),
                    _ => Looked::Not,
                }
            }
            _ => Looked::Not,
        }
    }
}

/// Asks whether what a call of the communication library touches is recorded: all is, unless there is a budget and it is used up; then what the
/// policy chooses of each place of a call, its first executions above all. What such calls order is always seen.
pub fn records(block: *mut Block, pc: u64) -> bool {
    // SAFETY: the block is this thread's own, and so is the seat.
    unsafe {
        match (*block).seat.as_mut() {
            Some(seat) if (*block).looks == Looks::Sampled => seat.records(pc) && !uncounted::is_dark(),
            _ => true,
        }
    }
}

/// Whether a thread's loads and stores are not all looked at.
#[cfg(feature = "shmem")]
pub fn is_sampled(block: *mut Block) -> bool {
    // SAFETY: the block is this thread's own.
    unsafe { !(*block).seat.is_null() }
}

/// Whether a call that changes or observes words, and completes nothing, is carried out and nothing else: the round is dark.
#[inline]
#[cfg(feature = "shmem")]
pub fn is_unseen(block: *mut Block) -> bool {
    // SAFETY: the block is this thread's own.
    let sampled = unsafe { !(*block).seat.is_null() && (*block).depth == 0 };
    sampled && uncounted::is_dark() && !THREADED.load(Ordering::Relaxed)
}

/// Whether a call that updates a word, and has no other effect on the order of strands, may pass unrecorded, and uncounted if the word allows that: the
/// budget is used up, and the policy does not choose this execution.
#[inline]
pub fn lets_pass(block: *mut Block) -> bool {
    // SAFETY: the block is this thread's own, and so is the seat, which nobody uses while the program itself is at work.
    unsafe {
        match (*block).seat.as_mut() {
            Some(seat) if seat.over && (*block).depth == 0 => seat.lets_pass((*block).pc),
            _ => false,
        }
    }
}

/// Tells how long that took, and how many records there are.
pub fn charge_records(block: *mut Block, spent: u64, records: u64) {
    // SAFETY: as above.
    if let Some(seat) = unsafe { (*block).seat.as_mut() } {
        seat.sampler.controller().charge_records(spent, records, ticks());
        sites::sampling::charge(|controller| controller.charge_records(spent, records, worked()));
    }
}

/// Tells what it touched.
pub fn judged(taken: Taken, private: bool) {
    // SAFETY: the block is this thread's own, and so is the seat.
    if let Some(seat) = unsafe { (*block()).seat.as_mut() } {
        seat.sampler.taken(taken, private);
    }
}

impl Seat {
    /// The access path: whether an execution is let pass.
    #[inline(always)]
    pub fn skips(&mut self, pc: u64) -> bool {
        self.sampler.skips(pc)
    }

    /// One that is not: decided, and if it is taken, recorded. Whether the recorder's buffer should be taken away.
    #[cold]
    #[inline(never)]
    pub fn touch(&mut self, recorder: &mut Recorder, address: u64, len: u64, acts: &[(Kind, Act)], pc: u64) -> bool {
        let measures = self.sampler.controller().measures();
        let from = if measures { ticks() } else { 0 };
        let (mut full, mut kept) = (false, false);
        if let (Look::Take(taken), false) = (self.sampler.decide(pc), uncounted::is_dark()) {
            let (before, executed) = (recorder.observed, recorder.executed);
            for &(kind, act) in acts {
                full |= recorder.touch(address, len, kind, act, pc) == thrille_runtime::runs::Room::Full;
            }
            // The sampler has counted it.
            recorder.executed = executed;
            kept = recorder.observed != before;
            let private = !kept && recorder.is_private(address, len);
            self.sampler.taken(taken, private);
        }
        if measures {
            let now = ticks();
            let spent = now.wrapping_sub(from);
            if kept {
                self.sampler.controller().charge_sample(spent, now);
            } else {
                self.sampler.controller().charge_look(spent, now);
            }
            sites::sampling::charge(|controller| controller.charge_other(spent, worked()));
        }
        full
    }

    #[inline]
    fn records(&mut self, pc: u64) -> bool {
        self.has_budget() || self.chooses(pc)
    }

    /// Asks who keeps the account: where functions are there twice, the process has one.
    #[inline]
    fn account(&mut self, ask: impl Fn(&Controller) -> bool) -> bool {
        let said = sites::sampling::charge(|controller| ask(controller));
        said.unwrap_or_else(|| ask(self.sampler.controller()))
    }

    /// Whether what calls touch may be recorded.
    #[inline]
    fn has_budget(&mut self) -> bool {
        self.account(Controller::allows_call)
    }

    #[inline]
    fn lets_pass(&mut self, pc: u64) -> bool {
        self.passed += 1;
        if self.passed >= CALLS * PASSED {
            self.charge_calls();
        }
        self.skips(pc)
    }

    #[cold]
    fn chooses(&mut self, pc: u64) -> bool {
        if self.skips(pc) {
            return false;
        }
        let Look::Take(taken) = self.sampler.decide(pc) else { return false };
        self.sampler.taken(taken, false);
        true
    }

    /// A function is entered.
    pub fn enter(&mut self, pc: u64, sp: u64) {
        if self.sampler.enter(pc, sp) == Entry::Decided && self.sampler.controller().measures() {
            self.sampler.controller().charge(decision_ticks(), ticks());
        }
    }

    /// It is left.
    pub fn leave(&mut self) {
        self.sampler.leave();
    }

    /// Charges for the calls since the last time.
    #[cold]
    fn charge_calls(&mut self) {
        let Some(plan) = PLAN.get().filter(|plan| plan.budget.is_some()) else { return };
        let passed = f64::from(std::mem::take(&mut self.passed)) / f64::from(PASSED);
        let calls = f64::from(std::mem::take(&mut self.calls)) + passed;
        let (spent, now) = ((calls * plan.ticks_per_us * CALL_NS / 1000.0) as u64, ticks());
        self.sampler.controller().charge_calls(spent, now);
        sites::sampling::charge(|controller| controller.charge_calls(spent, worked()));
        self.over = !self.has_budget();
        if self.account(Controller::calls_exceed) {
            uncounted::darken();
        }
    }

    #[inline]
    fn notice(&mut self, recorder: &Recorder) {
        self.calls += 1;
        if self.calls >= CALLS {
            self.charge_calls();
        }
        let generation = recorder.generation().wrapping_add(GENERATION.load(Ordering::Relaxed));
        if generation != self.generation {
            self.generation = generation;
            self.sampler.renew();
        }
        let phase = PHASE.load(Ordering::Relaxed);
        if phase != self.phase {
            self.phase = phase;
            self.sampler.phase(phase);
        }
        sites::sampling::notice(generation, PHASES.load(Ordering::Relaxed), phase);
    }
}
