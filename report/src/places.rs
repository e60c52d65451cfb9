//! Where in the program something happened.
//!
//! The innermost line, unless it is of the compiler or the system: what a header of the C++ library does is the doing of the line that calls it.

use crate::build::{is_ours, is_outermost};
use crate::modules::Modules;
use crate::records::RankRecords;
use crate::shape::Frame;
use thrille_model::{Kind, Race, Side, Site, StackId};

/// Deeper stacks are cut: a tree with a loop in it must not hold us up.
const MAX_STACK: usize = 256;

/// What a side did, and from where that was called, the line that it is named by first.
pub fn frames(side: &Side, modules: &mut Modules, ranks: &[RankRecords]) -> Vec<Frame> {
    let mut frames = modules.frames(side.site).to_vec();
    callers(side, modules, ranks, &mut frames);
    let own = frames.iter().position(is_programs).unwrap_or(0);
    frames.split_off(own)
}

/// Whether the line that a side is named by is at its site, whoever called.
pub fn is_at_site(side: &Side, modules: &mut Modules) -> bool {
    modules.frames(side.site).iter().any(is_programs)
}

/// Whether a line belongs to the program, as far as known.
pub fn is_programs(frame: &Frame) -> bool {
    let of_system = |path: &str| ["/usr/include/", "/usr/lib/"].iter().any(|dir| path.starts_with(dir));
    frame.path.as_deref().is_none_or(|path| !of_system(path) && !path.contains("/include/c++/"))
}

/// Whether a race is the compiler's doing. Clang's threads begin a reduction when they come, and combine when they are done: who has not begun yet reads `omp_orig` in the initializer of a
/// `declare reduction` meanwhile. What other ranks do to it meanwhile is a race, and so is what the initializer writes.
pub fn is_compilers(race: &Race, modules: &mut Modules, ranks: &[RankRecords]) -> bool {
    let mut begins = |side: &Side| side.kind == Kind::Read && is_in_initializer(side, modules, ranks);
    race.first.strand.rank == race.second.strand.rank && (begins(&race.first) || begins(&race.second))
}

fn is_in_initializer(side: &Side, modules: &mut Modules, ranks: &[RankRecords]) -> bool {
    let is_one = |frame: &Frame| frame.function.as_ref().is_some_and(|name| name.starts_with(".omp_initializer."));
    let calls = calls(side, ranks).take(MAX_STACK);
    [side.site].into_iter().chain(calls).any(|site| modules.frames(site).iter().any(is_one))
}

/// Where a side was called from, innermost first.
fn calls(side: &Side, ranks: &[RankRecords]) -> impl Iterator<Item = Site> {
    let stacks = ranks.get(side.strand.rank.0 as usize).map(|rank| &rank.stacks);
    let mut node = side.stack;
    std::iter::from_fn(move || {
        let &(parent, call) = stacks?.get(&node).filter(|_| node != StackId::default())?;
        node = parent;
        Some(call)
    })
}

/// Adds the callers, innermost first.
fn callers(side: &Side, modules: &mut Modules, ranks: &[RankRecords], frames: &mut Vec<Frame>) {
    for call in calls(side, ranks) {
        if frames.len() >= MAX_STACK || frames.last().is_some_and(is_outermost) {
            return;
        }
        // A thread's first function was called by our own library.
        frames.extend(modules.frames(call).iter().filter(|f| !is_ours(&f.module)).cloned());
    }
}
