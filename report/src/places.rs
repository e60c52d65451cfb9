//! Where in the program something happened.
//!
//! The innermost line, unless it is of the compiler or the system: what a header of the C++ library does is the doing of the line that calls it.

use crate::build::{is_ours, is_outermost};
use crate::modules::Modules;
use crate::records::RankRecords;
use crate::shape::Frame;
use thrille_model::{Side, StackId};

/// Deeper stacks are cut: a tree with a loop in it must not hold us up.
const MAX_STACK: usize = 256;

/// What a side did, and from where that was called, the line that it is named by first.
pub fn frames(side: &Side, modules: &mut Modules, ranks: &[RankRecords]) -> Vec<Frame> {
    let mut frames = all_frames(side, modules, ranks);
    let own = frames.iter().position(is_programs).unwrap_or(0);
    frames.split_off(own)
}

fn all_frames(side: &Side, modules: &mut Modules, ranks: &[RankRecords]) -> Vec<Frame> {
    let mut frames = modules.frames(side.site).to_vec();
    callers(side, modules, ranks, &mut frames);
    frames
}

/// Where the C++ library has the operations of its atomic objects that are no single instructions.
const ATOMIC_OBJECTS: &str = "/bits/shared_ptr_atomic.h";

/// Whether a side is part of an operation of an atomic object of the C++ library's. Two of those never race, whatever they are made of: that of gcc 12 gives a lock of its own back by a relaxed
/// operation. What makes such an object or ends it is no such operation.
pub fn is_atomic_operation(side: &Side, modules: &mut Modules, ranks: &[RankRecords]) -> bool {
    let near = modules.frames(side.site).iter().all(|frame| !is_programs(frame));
    let there = |frame: &Frame| frame.path.as_ref().is_some_and(|path| path.ends_with(ATOMIC_OBJECTS));
    if !near && !modules.frames(side.site).iter().any(there) {
        return false;
    }
    let operates = |frame: &Frame| {
        let name = frame.function.as_deref().unwrap_or_default();
        there(frame) && !name.starts_with(['~', '_']) && !name.starts_with("atomic")
    };
    all_frames(side, modules, ranks).iter().take_while(|frame| !is_programs(frame)).any(operates)
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

/// Adds the callers, innermost first.
fn callers(side: &Side, modules: &mut Modules, ranks: &[RankRecords], frames: &mut Vec<Frame>) {
    let Some(rank) = ranks.get(side.strand.rank.0 as usize) else { return };
    let mut node = side.stack;
    while node != StackId::default() && frames.len() < MAX_STACK && !frames.last().is_some_and(is_outermost) {
        let Some(&(parent, call)) = rank.stacks.get(&node) else { return };
        // A thread's first function was called by our own library.
        frames.extend(modules.frames(call).iter().filter(|f| !is_ours(&f.module)).cloned());
        node = parent;
    }
}
