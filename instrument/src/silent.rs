//! What need not be there twice: blocks of the instrumented copy from which nothing is told before the next decision.
//!
//! A nest of loops whose accesses are told before it, and what comes behind the last access of an iteration, are the same in both copies. The
//! instrumented one goes on in the plain one there; at the header of a loop, or behind an outermost one, it is decided anew, so that no access is missed by it.
//!
//! ```text
//!  instrumented:  tell ──┐
//!  plain:         ... ───┴─► nothing is told here ──► decide
//! ```

use crate::behind::Exits;
use crate::double::Doubled;
use crate::ir::{add_incoming, blocks, incoming, instructions, phis, redirect, successors};
use crate::llvm::*;
use crate::switch::Loop;
use std::collections::HashSet;

/// Takes such blocks out of the instrumented copy, before anything else is redirected. Values of both copies reach what is left when they are joined.
pub fn share(function: Value, doubled: &Doubled, loops: &[Loop], exits: &Exits, telling: &HashSet<Block>) {
    // Where control changes sides there are two.
    let needed: HashSet<Block> = (loops.iter().filter(|one| one.tells).map(|one| one.header))
        .chain(exits.iter().flat_map(|(_, exits)| exits.iter().copied()))
        .chain([doubled.plain[0]])
        .collect();
    let decided: HashSet<Block> = loops.iter().filter(|one| one.decides()).map(|one| one.header).collect();
    let decides = |from: Block, to: Block| {
        decided.contains(&to) || exits.iter().any(|(one, exits)| exits.contains(&to) && one.blocks.contains(&from))
    };
    // What is told before a loop stands at the end of a block: the block itself tells.
    let silent: Vec<Block> = (doubled.plain.iter().copied())
        .filter(|block| !needed.contains(block) && is_silent(*block, decides, telling))
        .collect();
    let copies: Vec<Block> = silent.iter().map(|&block| doubled.copy(block)).collect();
    let gone: HashSet<Block> = copies.iter().copied().collect();
    for (&plain, &copy) in silent.iter().zip(&copies) {
        let from: HashSet<Block> =
            blocks(function).filter(|block| !gone.contains(block) && successors(*block).any(|to| to == copy)).collect();
        for (phi, other) in phis(plain).into_iter().zip(phis(copy)) {
            for (value, block) in incoming(other).filter(|(_, block)| from.contains(block)).collect::<Vec<_>>() {
                add_incoming(phi, value, block);
            }
        }
        redirect(function, copy, plain, |block| from.contains(&block));
    }
    // What they compute is used behind the next decision too.
    for value in silent.iter().flat_map(|&block| instructions(block)) {
        if let Some(copy) = thrille_map_get(doubled.map, value).some() {
            LLVMReplaceAllUsesWith(copy, value);
        }
    }
    // SAFETY: so many blocks, which nobody else leads to.
    unsafe { thrille_delete_blocks(copies.as_ptr(), copies.len()) };
}

/// Whether nothing is told from a block on until it is decided anew.
fn is_silent(from: Block, decides: impl Fn(Block, Block) -> bool, telling: &HashSet<Block>) -> bool {
    let (mut met, mut next) = (HashSet::from([from]), vec![from]);
    while let Some(block) = next.pop() {
        if telling.contains(&block) {
            return false;
        }
        next.extend(successors(block).filter(|&to| !decides(block, to) && met.insert(to)).collect::<Vec<_>>());
    }
    true
}
