//! Checks that another one stands for.
//!
//! A check need not be made when another one that is always made with it, with no call or synchronisation in between, touches the same bytes as
//! strongly: whoever races with the one races with the other. Two rules:
//! * after an equal or stronger one in the same block, or in the blocks that alone lead to it;
//! * a read before a write of the same bytes that is told together with it.
//!
//! Which line is told matters to people: unless asked for otherwise, only checks of one source line stand for each other.

use crate::accesses::{Access, Extent, Group, is_barrier, synchronises};
use crate::hooks::kind::{READ, WRITE};
use crate::ir::{blocks, successors};
use crate::llvm::*;
use crate::options::Eliminate;
use crate::source::Source;
use std::collections::HashMap;

/// A check that has been made.
#[derive(Clone, PartialEq)]
struct Made {
    address: Value,
    bytes: u16,
    kind: u8,
    line: Option<(String, u32)>,
}

impl Made {
    fn of(access: &Access) -> Option<Self> {
        let Extent::Bytes(bytes) = access.extent else { return None };
        let line = Source::of(access.instruction).map(|source| (source.file, source.line));
        Some(Self { address: access.address, bytes, kind: access.kind & (READ | WRITE), line })
    }

    /// Whether this one makes the other superfluous.
    fn stands_for(&self, other: &Self, rule: Eliminate) -> bool {
        let lines = rule == Eliminate::AnyLine || (self.line.is_some() && self.line == other.line);
        self.address == other.address && self.bytes >= other.bytes && self.kind >= other.kind && lines
    }
}

/// Takes out what is superfluous, and says how much that was.
pub fn eliminate(function: Value, groups: &mut Vec<Group>, rule: Eliminate) -> usize {
    if rule == Eliminate::Nothing {
        return 0;
    }
    let before: usize = groups.iter().map(|group| group.accesses.len()).sum();
    let predecessors = lone_predecessors(function);
    let mut known: HashMap<Block, Vec<Made>> = HashMap::new();
    let mut by_block: HashMap<Block, Vec<usize>> = HashMap::new();
    for (index, group) in groups.iter().enumerate() {
        by_block.entry(LLVMGetInstructionParent(group.before)).or_default().push(index);
    }
    for block in blocks(function) {
        // Blocks that come later in the list than those they are reached from, as a rule; where not, nothing is known.
        let inherited = || predecessors.get(&block).and_then(|p| known.get(p)).cloned().unwrap_or_default();
        let mut made = if synchronises(block) { Vec::new() } else { inherited() };
        for &index in by_block.get(&block).map_or(&[][..], Vec::as_slice) {
            shorten(&mut groups[index], &mut made, rule);
            if is_barrier(groups[index].before) {
                made.clear();
            }
        }
        known.insert(block, made);
    }
    groups.retain(|group| !group.accesses.is_empty());
    before - groups.iter().map(|group| group.accesses.len()).sum::<usize>()
}

fn shorten(group: &mut Group, made: &mut Vec<Made>, rule: Eliminate) {
    let all: Vec<Option<Made>> = group.accesses.iter().map(Made::of).collect();
    let mut keep = Vec::new();
    for (index, one) in all.iter().enumerate() {
        let Some(one) = one else {
            keep.push(true);
            continue;
        };
        let earlier = made.iter().any(|m| m.stands_for(one, rule));
        let later = || all[index + 1..].iter().flatten().any(|m| m.kind > one.kind && m.stands_for(one, rule));
        let needed = !earlier && !later();
        if needed {
            made.push(one.clone());
        }
        keep.push(needed);
    }
    let mut keep = keep.into_iter();
    group.accesses.retain(|_| keep.next().unwrap_or(true));
}

/// Of each block that has just one, the block that leads to it.
fn lone_predecessors(function: Value) -> HashMap<Block, Block> {
    let mut from: HashMap<Block, Option<Block>> = HashMap::new();
    for block in blocks(function) {
        for to in successors(block) {
            from.entry(to).and_modify(|p| *p = None).or_insert(Some(block));
        }
    }
    from.into_iter().filter_map(|(to, from)| from.map(|from| (to, from))).collect()
}
