//! Coming back behind loops.
//!
//! A hot loop uses up what its function was granted, and is left for the plain copy. What comes behind it may run once, in a function that is called
//! once. So behind each outermost loop that something is told behind of, the plain copy looks at the mode: the library has asked
//! to be asked there as long as there are blocks that it has never met. A loop that tells nothing itself is there once ([`crate::silent`]), and
//! who came from the instrumented copy goes back to it.
//!
//! ```text
//!  plain loop ──► behind: mode is IN or ASK? ── no ──► plain copy
//!                           └─ yes: thrille_behind, not 0 ──► instrumented copy
//! ```

use crate::double::{Doubled, Work};
use crate::hooks::{ASK, IN};
use crate::ir::{add_incoming, incoming, phis, redirect, successors};
use crate::llvm::*;
use crate::switch::{Loop, Pairs, is_landing, replace};
use std::collections::HashSet;

/// Of each loop that is in no other one: where it is left to, if something is told from there on.
pub type Exits<'a> = Vec<(&'a Loop, Vec<Block>)>;

/// Finds them, outer loops first.
pub fn exits<'a>(doubled: &Doubled, loops: &'a [Loop], telling: &HashSet<Block>) -> Exits<'a> {
    let outermost =
        |one: &&Loop| !loops.iter().any(|other| other.header != one.header && other.blocks.contains(&one.header));
    (loops.iter().filter(outermost))
        .map(|one| {
            let mut exits: Vec<Block> = Vec::new();
            for to in
                doubled.plain.iter().filter(|block| one.blocks.contains(block)).flat_map(|&block| successors(block))
            {
                if !one.blocks.contains(&to) && !is_landing(to) && !exits.contains(&to) && tells(to, one, telling) {
                    exits.push(to);
                }
            }
            (one, exits)
        })
        .collect()
}

/// Adds the ways back, before anything else is redirected.
pub fn behind(work: &Work, doubled: &Doubled, exits: &Exits, pairs: &mut Pairs) {
    for (one, exits) in exits {
        for &exit in exits {
            come_back(work, one, exit, doubled.copy(exit), pairs);
        }
    }
}

/// Whether something is told from a block on, outside of the loop that is left there.
fn tells(from: Block, left: &Loop, telling: &HashSet<Block>) -> bool {
    let (mut met, mut next) = (HashSet::from([from]), vec![from]);
    while let Some(block) = next.pop() {
        if telling.contains(&block) {
            return true;
        }
        next.extend(successors(block).filter(|to| !left.blocks.contains(to) && met.insert(*to)).collect::<Vec<_>>());
    }
    false
}

fn come_back(work: &Work, one: &Loop, exit: Block, copy: Block, pairs: &mut Pairs) {
    let Work { ir, hooks, tables, function, .. } = *work;
    let from_loop = |block: Block| one.blocks.contains(&block);
    let [behind, ask] = ["behind", "ask.behind"].map(|name| ir.append(function, &format!("thrille.{name}")));
    redirect(function, exit, behind, from_loop);
    for phi in phis(exit) {
        pairs.change(phi, |other| {
            let ty = LLVMTypeOf(phi);
            let (left, new, new_copy) = (ir.phi(behind, ty), ir.phi(exit, ty), ir.phi(copy, ty));
            for (value, from) in incoming(phi).collect::<Vec<_>>() {
                add_incoming(if from_loop(from) { left } else { new }, value, from);
            }
            for (value, from) in incoming(other).collect::<Vec<_>>() {
                add_incoming(new_copy, value, from);
            }
            for from in [behind, ask] {
                add_incoming(new, left, from);
            }
            add_incoming(new_copy, left, ask);
            replace(phi, new);
            replace(other, new_copy);
            Some((new, new_copy))
        });
    }
    ir.at_end(behind);
    let mode = ir.look(tables.mode(ir));
    ir.rarely(ir.compare(compare::AT_LEAST, mode, ir.int(ir.i32, IN.min(ASK))), ask, exit);
    ir.at_end(ask);
    let answer = hooks.behind.call(ir, &[tables.descriptor()]);
    ir.branch(ir.compare(compare::NOT_EQUAL, answer, ir.int(ir.i32, 0)), copy, exit);
    LLVMMoveBasicBlockBefore(behind, exit);
}
