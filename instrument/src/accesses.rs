//! Which instructions touch memory that others may know of.
//!
//! Not looked at: variables of the function whose address goes nowhere, constants, the compiler's own tables. Atomic instructions are
//! synchronisation; the compiler's thread sanitizer turns them into calls in both copies, later. Copies and fills of memory that
//! become calls of the C library are seen by the library's own wrappers.

use crate::hooks;
use crate::ir::{self, blocks, instructions};
use crate::llvm::*;
use crate::options::Options;
use std::collections::{HashMap, HashSet};

/// How many bytes an access touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// So many.
    Bytes(u16),
    /// As many as this value says.
    Length(Value),
    /// So many each time, at equally spaced addresses, before a loop.
    Spaced {
        /// Each time.
        bytes: u16,
        /// How often.
        times: Value,
        /// How far apart.
        step: Value,
        /// Of a nest of loops: how often all that, and how far apart.
        rows: Option<(Value, Value)>,
    },
}

/// One access.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Where it stands in the program.
    pub instruction: Value,
    /// Its first byte.
    pub address: Value,
    /// How many.
    pub extent: Extent,
    /// Bits of [`hooks::kind`].
    pub kind: u8,
}

/// Accesses that are told together, before an instruction.
#[derive(Clone, Debug)]
pub struct Group {
    /// In the order of execution.
    pub accesses: Vec<Access>,
    /// What comes after them.
    pub before: Value,
}

/// A function, looked at.
#[derive(Debug, Default)]
pub struct Found {
    /// All that is to be told.
    pub groups: Vec<Group>,
    /// Blocks with calls of functions.
    pub calling: HashSet<Block>,
    /// It calls something like `setjmp`.
    pub returns_twice: bool,
}

/// A function that cannot be there twice: the compiler's own instrumentation serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfit(pub &'static str);

/// Larger copies and fills are calls on every processor.
const CALLED_ABOVE: u64 = 1024;

/// Looks at a function. `spaced` are the accesses that are told before their loops.
pub fn find(function: Value, layout: Layout, spaced: &[Affine], options: Options) -> Result<Found, Unfit> {
    let mut private = Private { known: HashMap::new(), options };
    let mut found = Found::default();
    let by_access: HashMap<Value, &Affine> = spaced.iter().map(|a| (a.access, a)).collect();
    let mut before_loops: HashMap<Value, Vec<Access>> = HashMap::new();
    for access in blocks(function).flat_map(instructions).flat_map(|i| accesses(i, layout)) {
        if let (Some(affine), Extent::Bytes(bytes)) = (by_access.get(&access.instruction), access.extent)
            && !private.is(access.address)
        {
            let rows = affine.rows.some().map(|rows| (rows, affine.pitch));
            let extent = Extent::Spaced { bytes, times: affine.times, step: affine.step, rows };
            let moved = Access { address: affine.start, extent, ..access };
            before_loops.entry(affine.before).or_default().push(moved);
        }
    }
    for block in blocks(function) {
        let mut pending = Vec::new();
        for instruction in instructions(block) {
            let what = classify(instruction)?;
            if what == What::Call {
                found.calling.insert(block);
                found.returns_twice |= call_returns_twice(instruction);
                pending.extend(passed(instruction).filter(|a| !private.is(a.address)));
            }
            let end = instruction == LLVMGetBasicBlockTerminator(block);
            if end {
                pending.extend(before_loops.remove(&instruction).into_iter().flatten());
            }
            if (end || what != What::Other) && !pending.is_empty() {
                found.groups.push(Group { accesses: std::mem::take(&mut pending), before: instruction });
            }
            if !by_access.contains_key(&instruction) {
                pending.extend(accesses(instruction, layout).into_iter().filter(|a| !private.is(a.address)));
            }
        }
    }
    Ok(found)
}

/// What an instruction means for those around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// A function is called: anything may happen.
    Call,
    /// Others may be synchronised with.
    Synchronisation,
    /// Nothing.
    Other,
}

fn classify(instruction: Value) -> Result<What, Unfit> {
    Ok(match LLVMGetInstructionOpcode(instruction) {
        opcode::INDIRECT_BRANCH => return Err(Unfit("it jumps to computed addresses")),
        opcode::CALL_BRANCH => return Err(Unfit("its assembly jumps to labels")),
        opcode::CATCH_SWITCH | opcode::CLEANUP_RETURN => return Err(Unfit("its exception handlers are functions")),
        opcode::FENCE | opcode::COMPARE_EXCHANGE | opcode::READ_MODIFY_WRITE => What::Synchronisation,
        opcode::LOAD | opcode::STORE if LLVMGetOrdering(instruction) != 0 => What::Synchronisation,
        opcode::INVOKE => What::Call,
        opcode::CALL => {
            if ir::call_has(instruction, "noduplicate") {
                return Err(Unfit("it makes a call that must be there once"));
            }
            match ir::callee(instruction) {
                Some(name) if name.starts_with("llvm.coro.") => return Err(Unfit("it is a coroutine")),
                Some(name) if name.starts_with("llvm.localescape") => return Err(Unfit("its frame is used by others")),
                Some(name) if name.starts_with("llvm.") || thrille_is_arithmetic(instruction) => What::Other,
                _ => What::Call,
            }
        }
        _ => What::Other,
    })
}

fn call_returns_twice(call: Value) -> bool {
    ir::call_has(call, "returns_twice")
}

/// What an instruction reads, and then what it writes.
fn accesses(instruction: Value, layout: Layout) -> Vec<Access> {
    let operand = |index| LLVMGetOperand(instruction, index);
    let volatile = || if LLVMGetVolatile(instruction) != 0 { hooks::kind::VOLATILE } else { 0 };
    let one = |address: Value, ty: Type, kind: u8| {
        let extent = extent(instruction, LLVMStoreSizeOfType(layout, ty));
        Access { instruction, address, extent, kind: kind | volatile() }
    };
    let all = match LLVMGetInstructionOpcode(instruction) {
        opcode::LOAD if LLVMGetOrdering(instruction) == 0 => {
            vec![one(operand(0), LLVMTypeOf(instruction), hooks::kind::READ)]
        }
        opcode::STORE if LLVMGetOrdering(instruction) == 0 => {
            vec![one(operand(1), LLVMTypeOf(operand(0)), hooks::kind::WRITE)]
        }
        opcode::CALL => expanded_here(instruction),
        _ => vec![],
    };
    // Clang's threads begin a reduction when they come, and combine when they are done: who has not begun yet reads `omp_orig` meanwhile. That is not the
    // program's doing.
    let begins = thrille_initialises(instruction);
    let told = |a: &Access| {
        LLVMGetPointerAddressSpace(LLVMTypeOf(a.address)) == 0 && !(begins && a.kind & hooks::kind::WRITE == 0)
    };
    all.into_iter().filter(told).collect()
}

fn extent(instruction: Value, bytes: u64) -> Extent {
    match u16::try_from(bytes) {
        Ok(bytes) => Extent::Bytes(bytes),
        Err(_) => Extent::Length(LLVMConstInt(LLVMIntTypeInContext(context(instruction), 64), bytes, 0)),
    }
}

/// What a call reads to pass it by value.
fn passed(call: Value) -> impl Iterator<Item = Access> {
    (0..LLVMGetNumArgOperands(call)).filter_map(move |index| {
        let bytes = thrille_passes_by_value(call, index);
        let (address, kind) = (LLVMGetOperand(call, index), hooks::kind::READ);
        (bytes > 0).then(|| Access { instruction: call, address, extent: extent(call, bytes), kind })
    })
}

/// A copy or fill of memory that may become instructions: large ones and those of unknown length are always calls.
fn expanded_here(call: Value) -> Vec<Access> {
    let name = ir::callee(call).unwrap_or_default();
    let copies = name.starts_with("llvm.memcpy") || name.starts_with("llvm.memmove");
    if !copies && !name.starts_with("llvm.memset") {
        return vec![];
    }
    let length = LLVMGetOperand(call, 2);
    let known = LLVMIsAConstantInt(length).some().map(|length| LLVMConstIntGetZExtValue(length));
    if !name.contains(".inline.") && known.is_none_or(|bytes| bytes > CALLED_ABOVE) {
        return vec![];
    }
    let short = known.filter(|bytes| (1..hooks::quick::LINE).contains(bytes));
    let side = |index, kind| Access {
        instruction: call,
        address: LLVMGetOperand(call, index),
        extent: short.map_or(Extent::Length(length), |bytes| Extent::Bytes(bytes as u16)),
        kind: kind | hooks::kind::LIBRARY,
    };
    let from = copies.then(|| side(1, hooks::kind::READ));
    from.into_iter().chain([side(0, hooks::kind::WRITE)]).collect()
}

fn context(instruction: Value) -> Context {
    let function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
    LLVMGetModuleContext(LLVMGetGlobalParent(function))
}

/// Memory that nobody else knows of.
struct Private {
    known: HashMap<Value, bool>,
    options: Options,
}

impl Private {
    fn is(&mut self, address: Value) -> bool {
        let (base, options) = (thrille_underlying(address), self.options);
        *self.known.entry(base).or_insert_with(|| {
            if !LLVMIsAAllocaInst(base).is_none() {
                return options.escape && !thrille_escapes(base);
            }
            let global = LLVMIsAGlobalVariable(base);
            !global.is_none()
                && (options.constants && LLVMIsGlobalConstant(global) != 0 || thrille_in_tables_of_others(global))
        })
    }
}

/// Whether an instruction calls or synchronises.
pub fn is_barrier(instruction: Value) -> bool {
    classify(instruction) != Ok(What::Other)
}

/// Whether anything in a block does.
pub fn synchronises(block: Block) -> bool {
    instructions(block).any(is_barrier)
}
