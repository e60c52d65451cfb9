//! Changing sides at loop headers.
//!
//! A loop with calls or inner loops decides anew in each iteration: all ways to its two headers lead through one block that looks at the mode.
//! An innermost loop without calls only *leaves* the instrumented copy, at the end of an iteration, when the budget is spent: the plain
//! loop keeps its one entry and stays what the vectoriser knows.
//!
//! What is beside the memory that others write, ghost cells above all, is touched by the first and the last iterations of a nest. The first ones are in the
//! burst that the function begins with. Before the last iteration of a deciding loop whose end is known the library is asked, from the plain copy if it wants to be, as behind loops ([`crate::behind`]).
//!
//! ```text
//!  deciding:   ──►─┬─ decide ──► plain header             leaving:   ──► land ──► plain header ◄─┐
//!                  │     └─► ask ──► instrumented header                  ▲            └─ ... ────┘
//!              both back edges                                            └─ spent ◄─ pay ◄── instrumented back edge
//! ```

use crate::accesses::Group;
use crate::behind::{behind, exits};
use crate::double::{Doubled, Work};
use crate::hooks::{ASK, IN};
use crate::ir::{Ir, add_incoming, incoming, instructions, phis, redirect, successors};
use crate::llvm::*;
use crate::silent;
use std::collections::{HashMap, HashSet};
use std::ffi::c_void;

/// A loop of the plain copy.
#[derive(Debug)]
pub struct Loop {
    pub header: Block,
    pub blocks: HashSet<Block>,
    innermost: bool,
    /// Something is told in it.
    pub tells: bool,
    /// It calls functions.
    calls: bool,
    /// Accesses that one iteration tells, without those of inner loops.
    accesses: u32,
    /// A number that it counts by, and the last one, if it decides and that is known before it.
    last: Option<(Value, Value)>,
}

/// The loops of a function, outer ones first: those that tell something, and those that are in no other one.
pub fn loops(function: Value, analyses: Analyses, groups: &[Group], calling: &HashSet<Block>) -> Vec<Loop> {
    unsafe extern "C" fn visit(all: *mut c_void, told: *const ToldLoop) {
        // SAFETY: called back with the vector below and a loop whose blocks are so many.
        let (all, told) = unsafe { (&mut *all.cast::<Vec<Loop>>(), &*told) };
        // SAFETY: as above.
        let blocks = unsafe { std::slice::from_raw_parts(told.blocks, told.count) };
        all.push(Loop {
            header: told.header,
            blocks: blocks.iter().copied().collect(),
            innermost: told.innermost,
            tells: false,
            calls: false,
            accesses: 0,
            last: None,
        });
    }
    let mut all: Vec<Loop> = Vec::new();
    // SAFETY: the callback is given the vector, which outlives the call.
    unsafe { thrille_loops(function, analyses, visit, (&raw mut all).cast()) };
    for one in &mut all {
        one.calls = one.blocks.iter().any(|block| calling.contains(block));
    }
    for group in groups {
        let block = LLVMGetInstructionParent(group.before);
        let around: Vec<usize> = (0..all.len()).filter(|&i| all[i].blocks.contains(&block)).collect();
        for &index in &around {
            all[index].tells = true;
        }
        // Inner loops come after outer ones.
        if let Some(&index) = around.last() {
            all[index].accesses += group.accesses.len() as u32;
        }
    }
    let outermost: HashSet<Block> = (all.iter())
        .filter(|one| !all.iter().any(|other| other.header != one.header && other.blocks.contains(&one.header)))
        .map(|one| one.header)
        .collect();
    all.retain(|one| (one.tells || outermost.contains(&one.header)) && !is_landing(one.header));
    for one in all.iter_mut().filter(|one| one.decides()) {
        let (mut counter, mut last) = (Value::NONE, Value::NONE);
        // SAFETY: both are written if the answer is yes.
        let known = unsafe { thrille_last(function, analyses, one.header, &raw mut counter, &raw mut last) };
        one.last = known.then_some((counter, last));
    }
    all
}

impl Loop {
    /// It decides in each iteration.
    pub fn decides(&self) -> bool {
        self.tells && (!self.innermost || self.calls)
    }
}

pub fn is_landing(block: Block) -> bool {
    instructions(block).map(|i| LLVMGetInstructionOpcode(i)).find(|&o| o != opcode::PHI) == Some(opcode::LANDING_PAD)
}

/// The two copies of each value, in the order of the program.
pub struct Pairs {
    all: Vec<Option<(Value, Value)>>,
    of_plain: HashMap<Value, usize>,
}

impl Pairs {
    fn new(doubled: &Doubled) -> Self {
        let mut new = Self { all: Vec::new(), of_plain: HashMap::new() };
        for value in doubled.plain.iter().flat_map(|&block| instructions(block)) {
            let joinable = ![kind::VOID, kind::TOKEN].contains(&LLVMGetTypeKind(LLVMTypeOf(value)));
            // What is there once is its own copy.
            let copy = thrille_map_get(doubled.map, value).some().filter(|&copy| copy != value);
            if let (true, Some(copy)) = (joinable, copy) {
                new.of_plain.insert(value, new.all.len());
                new.all.push(Some((value, copy)));
            }
        }
        new
    }

    /// The pair of a plain value, which is then replaced by what is given back.
    pub fn change(&mut self, plain: Value, by: impl FnOnce(Value) -> Option<(Value, Value)>) {
        let Some(&index) = self.of_plain.get(&plain) else { return };
        let Some((_, copy)) = self.all.get_mut(index).and_then(Option::take) else { return };
        let new = by(copy);
        // The way behind one loop may be the header of the next, where it is changed again.
        if let Some((plain, _)) = new {
            self.of_plain.insert(plain, index);
        }
        self.all[index] = new;
    }

    /// Reaches every use along the ways that there are now.
    fn join(self) {
        let flat: Vec<Value> = self.all.into_iter().flatten().flat_map(|(plain, copy)| [plain, copy]).collect();
        // SAFETY: so many pairs.
        unsafe { thrille_join_values(flat.as_ptr(), flat.len() / 2) };
    }
}

pub fn replace(old: Value, new: Value) {
    LLVMReplaceAllUsesWith(old, new);
    LLVMInstructionEraseFromParent(old);
}

/// Lets control change sides at the headers of these loops.
pub fn switch(work: &Work, doubled: &Doubled, loops: &[Loop], groups: &[Group]) {
    if loops.is_empty() {
        return;
    }
    let telling: HashSet<Block> = groups.iter().map(|group| LLVMGetInstructionParent(group.before)).collect();
    let exits = exits(doubled, loops, &telling);
    silent::share(work.function, doubled, loops, &exits, &telling);
    let mut pairs = Pairs::new(doubled);
    // Before anything is redirected.
    let loops: Vec<&Loop> = loops.iter().filter(|one| one.tells).collect();
    let inside: Vec<HashSet<Block>> = loops.iter().map(|one| copied_blocks(doubled, one)).collect();
    behind(work, doubled, &exits, &mut pairs);
    for (number, (one, inside)) in (0..).zip(loops.into_iter().zip(inside)) {
        let copy = doubled.copy(one.header);
        if one.decides() {
            deciding(work, one, number, copy, &mut pairs);
        } else {
            leaving(work, one, copy, &inside, &mut pairs);
        }
    }
    pairs.join();
}

/// Pays for an iteration at the end of `block`: goes on to `stay`, or to `leave` when that was the last one. The blocks that lead there.
fn pay(work: &Work, accesses: u32, block: Block, stay: Block, leave: Block) -> Block {
    let Work { ir, hooks, tables, function, .. } = *work;
    let spent = ir.append(function, "thrille.spent");
    ir.at_end(block);
    ir.rarely(ir.count_down(tables.budget(ir), accesses.max(1)), spent, stay);
    ir.at_end(spent);
    let answer = hooks.spent.call(ir, &[tables.descriptor()]);
    ir.branch(ir.compare(compare::NOT_EQUAL, answer, ir.int(ir.i32, 0)), stay, leave);
    spent
}

/// What is said of an iteration, see `thrille_decide`.
fn code(accesses: u32, number: u64, last: bool) -> u64 {
    const ACCESSES: u32 = 0xffff;
    const LOOPS: u64 = 0x7fff;
    u64::from(last) << 31 | number.min(LOOPS) << 16 | u64::from(accesses.clamp(1, ACCESSES))
}

fn deciding(work: &Work, one: &Loop, number: u64, copy: Block, pairs: &mut Pairs) {
    let Work { ir, hooks, tables, function, .. } = *work;
    let (plain, decide) = (one.header, ir.append(function, "thrille.decide"));
    let mut last = one.last;
    for phi in phis(plain) {
        pairs.change(phi, |other| {
            let joined = ir.phi(decide, LLVMTypeOf(phi));
            last = last.map(|(counter, last)| (if counter == phi { joined } else { counter }, last));
            for (value, from) in incoming(phi).chain(incoming(other)).collect::<Vec<_>>() {
                add_incoming(joined, value, from);
            }
            replace(phi, joined);
            replace(other, joined);
            // One value for both copies from here on.
            None
        });
    }
    redirect(function, plain, decide, |_| true);
    redirect(function, copy, decide, |_| true);
    let ask = ir.append(function, "thrille.ask");
    let code = |last: bool| ir.int(ir.i64, code(one.accesses, number, last));
    ir.at_end(decide);
    let mode = ir.look(tables.mode(ir));
    let is_in = |ir: &Ir| ir.compare(compare::EQUAL, mode, ir.int(ir.i32, IN));
    let asked = if let Some((counter, last)) = last {
        let [on, go] = ["on", "go"].map(|name| ir.append(function, &format!("thrille.{name}")));
        ir.rarely(ir.compare(compare::AT_LEAST, mode, ir.int(ir.i32, IN.min(ASK))), on, plain);
        ir.at_end(on);
        ir.rarely(ir.compare(compare::EQUAL, counter, last), ask, go);
        ir.at_end(go);
        ir.branch(is_in(ir), ask, plain);
        let asked = ir.phi(ask, ir.i64);
        add_incoming(asked, code(true), on);
        add_incoming(asked, code(false), go);
        asked
    } else {
        ir.rarely(is_in(ir), ask, plain);
        code(false)
    };
    ir.at_end(ask);
    let answer = hooks.decide.call(ir, &[tables.descriptor(), asked]);
    ir.branch(ir.compare(compare::NOT_EQUAL, answer, ir.int(ir.i32, 0)), copy, plain);
    LLVMMoveBasicBlockBefore(decide, plain);
}

fn leaving(work: &Work, one: &Loop, copy: Block, inside: &HashSet<Block>, pairs: &mut Pairs) {
    let Work { ir, function, .. } = *work;
    let plain = one.header;
    let outside = |block: Block| !one.blocks.contains(&block);
    let (land, paying) = (ir.append(function, "thrille.land"), ir.append(function, "thrille.pay"));
    redirect(function, plain, land, outside);
    redirect(function, copy, paying, |block| inside.contains(&block));
    ir.at_end(land);
    ir.jump(plain);
    let spent = pay(work, one.accesses, paying, copy, land);
    for back in [paying, spent] {
        thrille_once(LLVMGetBasicBlockTerminator(back));
    }
    for phi in phis(plain) {
        pairs.change(phi, |other| {
            let ty = LLVMTypeOf(phi);
            let (landed, paid) = (ir.phi(land, ty), ir.phi(paying, ty));
            let (new, new_copy) = (ir.phi(plain, ty), ir.phi(copy, ty));
            add_incoming(new, landed, land);
            for (value, from) in incoming(phi).collect::<Vec<_>>() {
                add_incoming(if outside(from) { landed } else { new }, value, from);
            }
            for (value, from) in incoming(other).collect::<Vec<_>>() {
                add_incoming(if inside.contains(&from) { paid } else { new_copy }, value, from);
            }
            for from in [paying, spent] {
                add_incoming(new_copy, paid, from);
            }
            add_incoming(landed, paid, spent);
            replace(phi, new);
            replace(other, new_copy);
            Some((new, new_copy))
        });
    }
    LLVMMoveBasicBlockBefore(land, plain);
}

/// The loop's blocks in the instrumented copy, with those that checks have split off them.
fn copied_blocks(doubled: &Doubled, one: &Loop) -> HashSet<Block> {
    let there = |&block: &Block| doubled.copy(block).some();
    let copies: HashSet<Block> = doubled.plain.iter().filter_map(there).collect();
    let own: HashSet<Block> = one.blocks.iter().filter_map(there).collect();
    let mut found = own.clone();
    let mut next: Vec<Block> = own.into_iter().collect();
    while let Some(block) = next.pop() {
        // What is no copy of a block was split off one.
        next.extend(successors(block).filter(|to| !copies.contains(to) && found.insert(*to)).collect::<Vec<_>>());
    }
    found
}
