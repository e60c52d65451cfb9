//! In a run that confirms races: functions that hold live places run their instrumented copy, all others the plain one.
//!
//! What is live is known when the rank joins the run. Until then everything runs its instrumented copy: the function that makes the rank join is
//! in one of its two copies by then, and its calls are other places in the one than in the other.
//!
//! When nothing is left to be found at the live places of a function, it runs its plain copy from then on.
//!
//! In the instrumented copy only blocks with a live place ask each time. Which these are shows when their sites ask for the first time: what was found is
//! kept in the sites' own byte.

use super::abi::{Function, Hot, Mode};
use super::policy::{Begin, Policy, Turn, Verdict};
use super::registry;
use crate::confirm::{self, Address};
use crate::symbols;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};
use thrille_model::Act;
use thrille_phase2::protocol::{Calls, ENV_SAMPLED};
use thrille_runtime::Module;

/// It is known what is live.
static KNOWN: AtomicBool = AtomicBool::new(false);

/// What a function holds, in its table's own word: something live.
const HOLDS: u64 = 1;

/// Whether a site is live, in its own byte, or told together with one that is; 0 when that is not known.
const QUIET: u8 = 1;
const LIVE: u8 = 2;
const BESIDE: u8 = 3;

/// Executions of a block without live places that pass until it asks again: strands that are to say that they have gone on do so there.
const SELDOM: i32 = 1 << 12;

/// A function that holds live places, and which.
struct Holder {
    function: &'static Function,
    places: Vec<u32>,
}

/// All of them.
static HOLDERS: RwLock<Vec<Holder>> = RwLock::new(Vec::new());

/// Where each function's sites are: first byte, one past the last, the function. In order.
static TABLES: RwLock<Vec<(usize, usize, &'static Function)>> = RwLock::new(Vec::new());

/// How many executions of its block pass until a site asks again.
pub fn gap(site: &Hot, pc: u64) -> i32 {
    if !KNOWN.load(Ordering::Acquire) {
        return 0;
    }
    if matches!(site.state.load(Ordering::Relaxed), LIVE | BESIDE) {
        return 0;
    }
    let state = if confirm::is_live(pc) { LIVE } else { QUIET };
    site.state.store(state, Ordering::Relaxed);
    let tables = TABLES.read().unwrap_or_else(PoisonError::into_inner);
    let at = std::ptr::from_ref(site) as usize;
    let known = tables.partition_point(|&(from, ..)| from <= at).checked_sub(1).and_then(|i| tables.get(i));
    let Some(&(from, _, function)) = known.filter(|(_, to, _)| at < *to) else { return 0 };
    // The first one's answer counts for all that are told together.
    let index = (at - from) / size_of::<Hot>();
    let together = function.places().get(index).map_or(1, |place| usize::from(place.together));
    let all = function.sites().get(index..index + together).unwrap_or_default();
    let is = |state: u8| move |site: &Hot| site.state.load(Ordering::Relaxed) == state;
    if !all.is_empty() && all.iter().all(is(QUIET)) {
        return SELDOM;
    }
    if state == QUIET && all.iter().any(is(LIVE)) {
        site.state.store(BESIDE, Ordering::Relaxed);
    }
    0
}

/// See above.
pub struct Confirms;

impl Confirms {
    fn turn(function: &Function) -> Turn {
        let looks = !KNOWN.load(Ordering::Acquire) || function.own.load(Ordering::Relaxed) == HOLDS;
        Turn { accesses: if looks { u32::MAX } else { 0 }, calls: u32::MAX, asks: false }
    }
}

impl Policy for Confirms {
    fn begin(&self, _: &'static Function) -> Begin {
        Begin::For(u32::MAX)
    }

    fn call(&self, function: &Function) -> Turn {
        Self::turn(function)
    }

    fn spent(&self, function: &Function) -> Turn {
        Self::turn(function)
    }

    fn site(&self, _: &Hot, _: u64, _: u64, _: &mut dyn FnMut() -> bool) -> Verdict {
        Verdict { keep: false, part: None, gap: 0 }
    }
}

/// How many executions of a joined function's site pass until it is told again: each counts for itself.
pub fn gap_alone(pc: u64) -> u32 {
    if confirm::waits_at(pc) || !KNOWN.load(Ordering::Acquire) { 0 } else { SELDOM.unsigned_abs() }
}

/// These places are live.
pub fn arm(live: &[Address], modules: &[Module]) {
    if !registry::any() {
        return;
    }
    let named = named(live, modules);
    let (mut tables, mut holders) = (Vec::new(), Vec::new());
    KNOWN.store(true, Ordering::Release);
    registry::all(|function| {
        let name = function.name().to_string_lossy();
        let places: Vec<u32> = match &named {
            Some(named) => named.iter().filter(|(of, _)| *of == name).map(|&(_, index)| index).collect(),
            None => live.iter().map(|&(.., index)| index).collect(),
        };
        for site in function.sites() {
            site.state.store(0, Ordering::Relaxed);
        }
        if places.is_empty() {
            rest(function);
        } else {
            function.own.store(HOLDS, Ordering::Relaxed);
            let sites = function.sites().as_ptr_range();
            tables.push((sites.start as usize, sites.end as usize, function));
            holders.push(Holder { function, places });
            function.look(u32::MAX);
        }
    });
    tables.sort_unstable_by_key(|&(from, ..)| from);
    *TABLES.write().unwrap_or_else(PoisonError::into_inner) = tables;
    *HOLDERS.write().unwrap_or_else(PoisonError::into_inner) = holders;
}

/// Some places are of no interest any more: functions that hold no other ones need not be looked at.
pub fn disarm(is_live: impl Fn(u32) -> bool) {
    let mut holders = HOLDERS.write().unwrap_or_else(PoisonError::into_inner);
    holders.retain(|holder| {
        let holds = holder.places.iter().any(|&place| is_live(place));
        if !holds {
            rest(holder.function);
        }
        holds
    });
}

/// A function runs its plain copy from now on; loops that are under way leave the instrumented one.
fn rest(function: &Function) {
    function.own.store(0, Ordering::Relaxed);
    function.set_budget(0);
    function.set_mode(Mode::Off);
}

/// The functions that hold them, if they are places of the instrumented copy, and what each holds; none if that cannot be told, so that any may.
fn named(live: &[Address], modules: &[Module]) -> Option<Vec<(String, u32)>> {
    let calls_are_plain = std::env::var_os(ENV_SAMPLED).is_some_and(|copy| copy == Calls::Plain.word());
    let mut all = Vec::new();
    for module in modules {
        let inside = |pc: u64| module.ranges.iter().any(|&(lo, hi)| lo < pc && pc <= hi);
        // The return address may be that of the next function.
        let offset = |pc: u64| pc - 1 - module.bias;
        let here: Vec<&Address> = live.iter().filter(|&&(pc, ..)| inside(pc)).collect();
        if here.is_empty() {
            continue;
        }
        let functions =
            symbols::functions(Path::new(&module.path), &here.iter().map(|&&(pc, ..)| offset(pc)).collect())?;
        for &&(pc, act, index) in &here {
            let of = functions.iter().filter(|(at, _)| *at == offset(pc)).map(|(_, name)| name);
            // A call is another place in either copy: phase 1 made it in the plain one, unless that is known, or tried, not to be so.
            let of = of.filter(|name| is_own(act) || !calls_are_plain || name.contains(APART));
            all.extend(of.map(|name| (own_name(name).to_owned(), index)));
        }
    }
    Some(all)
}

/// How the names of instrumented copies end that are functions of their own.
const APART: &str = ".thrille";

/// How gcc names what it puts elsewhere of a function because it is seldom executed: instrumented copies above all.
const SELDOM_EXECUTED: &str = ".cold";

/// The name of the function that has a copy, or a part, of this name.
fn own_name(name: &str) -> &str {
    let name = name.split_once(APART).map_or(name, |(name, _)| name);
    name.strip_suffix(SELDOM_EXECUTED).unwrap_or(name)
}

/// Whether only the instrumented copy tells of it.
fn is_own(act: Act) -> bool {
    matches!(act, Act::Load | Act::Store | Act::LibraryCall)
}
