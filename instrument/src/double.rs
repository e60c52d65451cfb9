//! Two copies of a function, and the choice between them at its entry.
//!
//! ```text
//! entry:  mode is OFF? ── yes ──► plain copy
//!           │ no: count the call
//!         below zero? ── no ──► plain copy
//!           │ yes, and always in mode IN: thrille_enter
//!           └─ not 0 ──► instrumented copy
//! ```
//!
//! A function without loops gets its instrumented copy *apart*, as a function of its own that the entry jumps to: the plain one keeps its frame.
//! With loops, both are *in one* function, so that control can change sides at loop headers ([`crate::switch`]).

use crate::accesses::Group;
use crate::check;
use crate::hooks::Hooks;
use crate::ir::{self, Ir, blocks, instructions};
use crate::llvm::*;
use crate::tables::Tables;

/// A function that is there twice.
pub struct Doubled {
    /// From the plain copy to the instrumented one.
    pub map: Map,
    /// The plain copy's blocks.
    pub plain: Vec<Block>,
}

impl Doubled {
    /// The instrumented copy of a plain block; none if there is none any more.
    pub fn copy(&self, plain: Block) -> Block {
        let copy = thrille_map_get(self.map, LLVMBasicBlockAsValue(plain));
        copy.some().map_or(Block::NONE, |copy| LLVMValueAsBasicBlock(copy))
    }
}

impl Drop for Doubled {
    fn drop(&mut self) {
        thrille_map_free(self.map);
    }
}

/// What all steps need.
pub struct Work<'a> {
    pub ir: &'a Ir,
    pub hooks: &'a Hooks,
    pub tables: &'a Tables,
    pub function: Value,
    /// Whether it is found out in place what need not be told.
    pub in_place: bool,
}

impl Work<'_> {
    fn checks(&self, map: Map, groups: &[Group]) {
        let mut first = 0;
        for group in groups {
            check::insert(self.ir, self.hooks, self.tables, map, group, first, self.in_place);
            first += group.accesses.len();
        }
        check::settle(map, groups);
    }

    /// Makes the instrumented copy a function of its own. It is given back.
    pub fn apart(&self, groups: &[Group]) -> Value {
        let (ir, function) = (self.ir, self.function);
        let map = thrille_map_new();
        let name = format!("{}.thrille", ir::name(function));
        let copy = thrille_copy_function(function, map, ir::c_name(&name).as_ptr());
        self.checks(map, groups);
        thrille_map_free(map);
        let plain = blocks(function).next().unwrap_or(Block::NONE);
        let head = self.new_head(plain);
        let leave = ir.append(function, "thrille.apart");
        self.choose(head, plain, leave);
        ir.at_end(leave);
        let ty = LLVMGlobalGetValueType(function);
        let arguments: Vec<Value> = (0..LLVMCountParams(function)).map(|i| LLVMGetParam(function, i)).collect();
        let call = ir.call(ty, copy, &arguments);
        LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(function));
        LLVMSetTailCall(call, 1);
        thrille_copy_attributes(call, function);
        thrille_place(call, call);
        let nothing = LLVMGetTypeKind(LLVMGetReturnType(ty)) == kind::VOID;
        ir.give_back((!nothing).then_some(call));
        copy
    }

    /// Makes both copies in the function itself.
    pub fn in_one(&self, groups: &[Group]) -> Doubled {
        let plain: Vec<Block> = blocks(self.function).collect();
        let head = self.new_head(plain[0]);
        let doubled = Doubled { map: thrille_map_new(), plain };
        let plain = &doubled.plain;
        // SAFETY: so many blocks of this function.
        unsafe { thrille_copy_blocks(self.function, plain.as_ptr(), plain.len(), doubled.map) };
        let copy = doubled.copy(plain[0]);
        self.checks(doubled.map, groups);
        self.choose(head, plain[0], copy);
        doubled
    }

    /// A new first block, with the variables that both copies share.
    fn new_head(&self, entry: Block) -> Block {
        let head = self.ir.insert_before(entry, "thrille.entry");
        self.ir.at_end(head);
        let fixed =
            |i: &Value| LLVMGetInstructionOpcode(*i) == opcode::ALLOCA && LLVMIsConstant(LLVMGetOperand(*i, 0)) != 0;
        for variable in instructions(entry).filter(fixed).collect::<Vec<_>>() {
            self.ir.take(variable);
        }
        head
    }

    /// The choice, at the end of `head`.
    fn choose(&self, head: Block, plain: Block, instrumented: Block) {
        let Self { ir, hooks, tables, function, .. } = *self;
        let descriptor = tables.descriptor();
        let [count, ask] = ["count", "ask"].map(|name| ir.append(function, &format!("thrille.{name}")));
        let zero = ir.int(ir.i32, 0);
        ir.at_end(head);
        ir.rarely(ir.compare(compare::NOT_EQUAL, ir.look(tables.mode(ir)), zero), count, plain);
        ir.at_end(count);
        ir.rarely(ir.count_down(tables.countdown(ir), 1), ask, plain);
        ir.at_end(ask);
        let answer = hooks.enter.call(ir, &[descriptor]);
        ir.branch(ir.compare(compare::NOT_EQUAL, answer, zero), instrumented, plain);
    }
}
