//! In a run that confirms races: functions that hold live places run their instrumented copy, all others the plain one.
//!
//! What is live is known when the rank joins the run. Until then everything runs its instrumented copy: the function that makes the rank join is
//! in one of its two copies by then, and its calls are other places in the one than in the other.
//!
//! In the instrumented copy only blocks with a live place ask each time. Which these are shows when their sites ask for the first time: what was found is
//! kept in the sites' own byte.

use super::abi::{Function, Hot, Mode};
use super::policy::{Begin, Policy, Turn, Verdict};
use super::registry;
use crate::confirm;
use crate::symbols;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};
use thrille_model::Act;
use thrille_phase2::protocol::ENV_SAMPLED;
use thrille_runtime::Module;

/// It is known what is live.
static KNOWN: AtomicBool = AtomicBool::new(false);

/// What a function holds, in its table's own word: something live.
const HOLDS: u64 = 1;

/// Whether a site is live, in its own byte; 0 when that is not known.
const QUIET: u8 = 1;
const LIVE: u8 = 2;

/// Executions of a block without live places that pass until it asks again: strands that are to say that they have gone on do so there.
const SELDOM: i32 = 1 << 12;

/// Where each function's sites are: first byte, one past the last, the function. In order.
static TABLES: RwLock<Vec<(usize, usize, &'static Function)>> = RwLock::new(Vec::new());

/// How many executions of its block pass until a site asks again.
pub fn gap(site: &Hot, pc: u64) -> i32 {
    if !KNOWN.load(Ordering::Acquire) {
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
    let quiet = |site: &Hot| site.state.load(Ordering::Relaxed) == QUIET;
    let all = function.sites().get(index..index + together);
    if all.is_some_and(|all| all.iter().all(quiet)) { SELDOM } else { 0 }
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

/// These return addresses are live, for what is done there.
pub fn arm(live: &[(u64, Act)], modules: &[Module]) {
    if !registry::any() {
        return;
    }
    let names = names(live, modules);
    let mut tables = Vec::new();
    KNOWN.store(true, Ordering::Release);
    registry::all(|function| {
        let holds = names.as_ref().is_none_or(|names| names.contains(function.name().to_string_lossy().as_ref()));
        function.own.store(if holds { HOLDS } else { 0 }, Ordering::Relaxed);
        for site in function.sites() {
            site.state.store(0, Ordering::Relaxed);
        }
        if holds {
            let sites = function.sites().as_ptr_range();
            tables.push((sites.start as usize, sites.end as usize, function));
            function.look(u32::MAX);
        } else {
            // Loops that are under way leave the instrumented copy.
            function.set_budget(0);
            function.set_mode(Mode::Off);
        }
    });
    tables.sort_unstable_by_key(|&(from, ..)| from);
    *TABLES.write().unwrap_or_else(PoisonError::into_inner) = tables;
}

/// The functions that hold them, if they are places of the instrumented copy; none if that cannot be told, so that any may.
fn names(live: &[(u64, Act)], modules: &[Module]) -> Option<BTreeSet<String>> {
    let sampled = std::env::var_os(ENV_SAMPLED).is_some();
    let mut all = BTreeSet::new();
    for module in modules {
        let inside = |pc: u64| module.ranges.iter().any(|&(lo, hi)| lo < pc && pc <= hi);
        for own in [true, false] {
            // The return address may be that of the next function.
            let places = live.iter().filter(|&&(pc, act)| inside(pc) && is_own(act) == own);
            let places: BTreeSet<u64> = places.map(|&(pc, _)| pc - 1 - module.bias).collect();
            if places.is_empty() {
                continue;
            }
            let mut names = symbols::functions(Path::new(&module.path), &places)?;
            // A call is another place in either copy: phase 1 made it in the plain one, unless that is known not to be so.
            names.retain(|name| own || !sampled || name.contains(APART));
            all.extend(names.iter().filter_map(|name| name.split(APART).next()).map(str::to_owned));
        }
    }
    Some(all)
}

/// How the names of instrumented copies end that are functions of their own.
const APART: &str = ".thrille";

/// Whether only the instrumented copy tells of it.
fn is_own(act: Act) -> bool {
    matches!(act, Act::Load | Act::Store | Act::LibraryCall)
}
