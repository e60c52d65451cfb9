//! What need not be there twice: blocks of the instrumented copy from which nothing is told before the next decision.
//!
//! A nest of loops whose accesses are told before it, and what comes behind the last access of an iteration, are the same in both copies. The
//! instrumented one goes on in the plain one there; at the header of the loop around it is decided anew, so that no access is missed by it.
//!
//! ```text
//!  instrumented:  tell ──┐
//!  plain:         ... ───┴─► nothing is told here ──► decide
//! ```

use crate::accesses::Group;
use crate::double::Doubled;
use crate::ir::{add_incoming, blocks, incoming, phis, redirect, successors};
use crate::llvm::*;
use crate::switch::Loop;
use std::collections::HashSet;

/// Takes such blocks out of the instrumented copy, before anything else is redirected. Values of both copies reach what is left when they are joined.
pub fn share(function: Value, doubled: &Doubled, loops: &[Loop], groups: &[Group]) {
    let telling: HashSet<Block> = groups.iter().map(|group| LLVMGetInstructionParent(group.before)).collect();
    // What is told before a loop stands at the end of a block: the block itself tells.
    let silent: Vec<Block> = (doubled.plain.iter().copied())
        .filter(|&block| block != doubled.plain[0] && is_silent(block, loops, &telling))
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
    // SAFETY: so many blocks, which nobody else leads to.
    unsafe { thrille_delete_blocks(copies.as_ptr(), copies.len()) };
}

/// Whether nothing is told from a block on until a loop that it is in decides.
fn is_silent(from: Block, loops: &[Loop], telling: &HashSet<Block>) -> bool {
    let decided: HashSet<Block> = (loops.iter())
        .filter(|one| one.decides() && one.header != from && one.blocks.contains(&from))
        .map(|one| one.header)
        .collect();
    let (mut met, mut next) = (HashSet::from([from]), vec![from]);
    while let Some(block) = next.pop() {
        if telling.contains(&block) {
            return false;
        }
        next.extend(successors(block).filter(|to| !decided.contains(to) && met.insert(*to)).collect::<Vec<_>>());
    }
    true
}
