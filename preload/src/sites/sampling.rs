//! The policies of `thrille_sampling`, for functions that compiled code counts for.
//!
//! One state for the process, behind a lock that is never waited for: a thread that finds it taken looks at what it has, and asks again next time.

use super::abi::{Function, Hot, Mode};
use super::policy::{Begin, Policy, Turn, Verdict};
use crate::{sampled, uncounted};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use thrille_model::job::ENV_RANK;
use thrille_sampling::dense::{self, BURST, Extent, Next, Told};
use thrille_sampling::{Controller, Coverage, Dense, Gaps, Name};

/// What an access costs more in the instrumented copy, in nanoseconds: an estimate.
const INLINE_NS: f64 = 1.0;

/// Executions of a loop over separate places that are recorded the first time.
const FIRST: u64 = 1024;
/// The same later, at random.
const PART: u64 = 16;

/// Lets the policy choose.
pub struct Sampled;

struct State {
    dense: Dense,
    /// Where each function's hot table is: first byte, one past the last, the function. In order.
    tables: Vec<(usize, usize, &'static Function)>,
    /// What was noticed last: the generation, and how many phases had begun.
    generation: u32,
    phases: u64,
}

static STATE: OnceLock<Mutex<State>> = OnceLock::new();

/// Generation and phases that were noticed, mixed: to see without the lock that there is nothing new.
static NOTICED: AtomicU64 = AtomicU64::new(0);

fn state() -> Option<&'static Mutex<State>> {
    STATE.get()
}

fn try_state() -> Option<MutexGuard<'static, State>> {
    match state()?.try_lock() {
        Ok(state) => Some(state),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

fn wait_state() -> Option<MutexGuard<'static, State>> {
    Some(state()?.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Begins, with the process's plan.
pub fn begin(name: &Name, seed: u64, controller: Controller, ticks_per_us: f64) {
    STATE.get_or_init(|| {
        let gaps = Gaps::new(seed, expected_rank(), u32::MAX);
        let dense = Dense::new(name, gaps, controller, INLINE_NS * ticks_per_us / 1000.0);
        Mutex::new(State { dense, tables: Vec::new(), generation: 0, phases: 0 })
    });
}

/// Which rank this will be, as launchers say in the environment, before the program has asked: ranks are to choose differently.
fn expected_rank() -> u32 {
    let said = |name| std::env::var(name).ok().and_then(|text| text.parse().ok());
    [ENV_RANK, "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"].into_iter().find_map(said).unwrap_or(0)
}

/// The number that a function was given, kept in its table.
fn number(function: &Function) -> Option<dense::Function> {
    let kept = function.own.load(Ordering::Relaxed);
    kept.checked_sub(1).map(|number| dense::Function::from_index(number as usize))
}

fn granted(function: &Function, next: Next) -> Turn {
    match next {
        Next::Look(accesses) => {
            if let (Some(number), Some(mut state)) = (number(function), try_state()) {
                let sites = function.sites();
                state.dense.wakes(number, |site| sites[site as usize].set_countdown(0));
            }
            Turn { accesses, calls: 0, asks: false }
        }
        Next::Pass(calls) => {
            let asks = number(function).zip(try_state()).is_some_and(|(number, state)| state.dense.asks(number));
            Turn { accesses: 0, calls, asks }
        }
    }
}

impl Policy for Sampled {
    fn begin(&self, function: &'static Function) -> Begin {
        let Some(mut state) = wait_state() else { return Begin::Off };
        let blocks = function.places().iter().map(|place| u32::from(place.together)).filter(|&sites| sites > 0);
        let number = if function.is_joined() {
            state.dense.add_whole(0, function.sites().len() as u32)
        } else {
            state.dense.add(0, blocks.collect::<Vec<_>>())
        };
        function.own.store(number.index() as u64 + 1, Ordering::Relaxed);
        let sites = function.sites();
        let from = sites.as_ptr() as usize;
        let table = (from, from + size_of_val(sites), function);
        let at = state.tables.partition_point(|&(other, ..)| other < from);
        state.tables.insert(at, table);
        if function.synchronises() { Begin::Always } else { Begin::For(BURST) }
    }

    fn forget(&self, function: &'static Function) {
        if let Some(mut state) = wait_state() {
            state.tables.retain(|&(.., known)| !std::ptr::eq(known, function));
        }
    }

    fn call(&self, function: &Function) -> Turn {
        let next = number(function).zip(try_state()).map(|(number, mut state)| {
            state.dense.controller().charge(sampled::decision_ticks(), sampled::worked());
            state.dense.call(number)
        });
        next.map_or(Turn { accesses: BURST, calls: 0, asks: false }, |next| granted(function, next))
    }

    fn spent(&self, function: &Function) -> Turn {
        let next =
            number(function).zip(try_state()).map(|(number, mut state)| state.dense.spent(number, sampled::worked()));
        next.map_or(Turn { accesses: BURST, calls: 0, asks: false }, |next| granted(function, next))
    }

    fn behind(&self, function: &Function) -> u32 {
        number(function).zip(try_state()).map_or(BURST, |(number, mut state)| {
            state.dense.controller().charge(sampled::decision_ticks(), sampled::worked());
            state.dense.behind(number)
        })
    }

    fn last(&self, function: &Function, loop_number: u64) -> u32 {
        let Some((number, mut state)) = number(function).zip(try_state()) else { return 0 };
        state.dense.controller().charge(sampled::decision_ticks(), sampled::worked());
        let sites = function.sites();
        state.dense.last(number, loop_number as usize, |site| sites[site as usize].set_countdown(0))
    }

    fn site(&self, site: &Hot, pc: u64, times: u64, shared: &mut dyn FnMut() -> bool) -> Verdict {
        let light = !uncounted::is_dark();
        let anyway = Verdict { keep: light, part: None, gap: 0 };
        let Some(mut state) = try_state() else { return anyway };
        let at = &raw const *site as usize;
        let index = state.tables.partition_point(|&(from, ..)| from <= at);
        let Some(&(from, to, function)) = index.checked_sub(1).and_then(|index| state.tables.get(index)) else {
            return anyway;
        };
        let Some(number) = number(function).filter(|_| at < to) else { return anyway };
        let site = ((at - from) / size_of::<Hot>()) as u32;
        let verdict = match state.dense.told(number, site) {
            Told::Pass(gap) => Verdict { keep: false, part: None, gap },
            Told::Take(extent) => {
                state.dense.located(number, pc);
                let private = !shared();
                let part = match extent {
                    Extent::Whole => Some((0, FIRST)),
                    Extent::Part => Some((state.dense.pick(times), PART)),
                };
                Verdict { keep: !private && light, part, gap: state.dense.taken(number, site, private) }
            }
        };
        if function.is_joined()
            && let Some(Next::Pass(calls)) = state.dense.settle(number, sampled::worked())
            && !function.synchronises()
        {
            function.set_countdown(calls);
            function.set_mode(Mode::Count);
        }
        verdict
    }

    fn cost(&self, ticks: u64, now: u64, kept: bool) {
        if let Some(mut state) = try_state() {
            if kept {
                state.dense.controller().charge_sample(ticks, now);
            } else {
                state.dense.controller().charge_look(ticks, now);
            }
        }
    }
}

/// Tells of time that the detector took for something else than these functions' accesses, or asks whether it may.
pub fn charge<R>(how: impl FnOnce(&mut Controller) -> R) -> Option<R> {
    Some(how(try_state()?.dense.controller()))
}

/// After a call of the program into us: what changed since the last one. So many phases have begun, the last one at this barrier.
pub fn notice(generation: u32, phases: u64, barrier: u64) {
    let mixed = (u64::from(generation) << 40) ^ phases;
    if state().is_none() || NOTICED.swap(mixed, Ordering::Relaxed) == mixed {
        return;
    }
    let Some(mut guard) = wait_state() else { return };
    let State { dense, tables, generation: known, phases: begun } = &mut *guard;
    let mut by_number: Vec<Option<&Function>> = Vec::new();
    for &(.., function) in tables.iter() {
        if let Some(number) = number(function) {
            by_number.resize(by_number.len().max(number.index() + 1), None);
            by_number[number.index()] = Some(function);
        }
    }
    let of = |number: dense::Function| by_number.get(number.index()).copied().flatten();
    let burst = |number: dense::Function, accesses: u32| {
        if let Some(function) = of(number) {
            function.look(accesses);
        }
    };
    let wake = |number: dense::Function, site: u32| {
        if let Some(hot) = of(number).and_then(|function| function.sites().get(site as usize)) {
            hot.set_countdown(0);
        }
    };
    if *known != generation {
        *known = generation;
        dense.renew(burst, wake);
    }
    if *begun != phases {
        *begun = phases;
        dense.phase(barrier, burst, wake);
    }
}

/// What was looked at.
pub fn take_coverage(now: u64) -> Option<Coverage> {
    let mut state = wait_state()?;
    let State { dense, tables, .. } = &mut *state;
    for &(.., function) in tables.iter() {
        if let Some(number) = number(function) {
            dense.left(number, function.budget());
        }
    }
    Some(dense.take_coverage(now))
}
