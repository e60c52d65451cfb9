//! `hooks.h` on the compiler's side: layouts and functions.

use crate::ir::{Ir, c_name};
use crate::llvm::*;

/// What a site does.
pub mod kind {
    pub const READ: u8 = 1;
    pub const WRITE: u8 = 2;
    pub const LIBRARY: u8 = 4;
    pub const VOLATILE: u8 = 8;
}

/// The mode in which the instrumented copy is chosen.
pub const IN: u64 = 2;
/// The mode in which the library is asked behind loops, and before their last iterations.
pub const ASK: u64 = 3;
/// The mode in which nothing is counted.
pub const OFF: u64 = 0;

/// `struct thrille_quick`: what is known of a thread's accesses, by lines of 64 bytes.
pub mod quick {
    use super::kind::WRITE;

    /// Bytes of a line.
    pub const LINE: u64 = 64;
    /// Lines in the table.
    pub const LINES: u64 = 512;
    /// What is known of each takes so many bytes.
    pub const SIZE: u64 = 32;
    /// Where the number of accesses is of which nothing came.
    pub const REPEATED: u64 = 8;
    /// Where the tag of the first line is.
    pub const TAG: u64 = 32;

    /// Where the bytes are of the first line that may be touched in this way.
    pub const fn bits(kind: u8) -> u64 {
        if kind & WRITE == 0 { TAG + 8 } else { TAG + 16 }
    }
}

/// A function of the library.
#[derive(Clone, Copy)]
pub struct Hook {
    function: Value,
    ty: Type,
}

/// All of them, and the layouts of the tables.
pub struct Hooks {
    pub hot: Type,
    pub cold: Type,
    pub descriptor: Type,
    pub enter: Hook,
    pub spent: Hook,
    pub behind: Hook,
    pub decide: Hook,
    pub quick: Hook,
    pub access: Hook,
    pub range: Hook,
    pub affine: Hook,
    pub nest: Hook,
    pub register: Hook,
    pub unregister: Hook,
}

impl Hooks {
    /// Declares them in a module.
    pub fn new(ir: &Ir) -> Self {
        let Ir { i8, i16, i32, i64, pointer, void, .. } = *ir;
        let own = ir.struct_type(&[i64, i64]);
        let descriptor = ir.struct_type(&[i32, i32, i32, i32, pointer, pointer, pointer, i64, own]);
        let ordinary = |name, parameters: &[Type]| Hook::ordinary(ir, name, void, parameters);
        let preserving = |name, parameters: &[Type]| Hook::preserving(ir, name, parameters);
        let telling = |name, more: &[Type]| Hook::telling(ir, name, more);
        let hooks = Self {
            hot: ir.struct_type(&[i32, i8, i8, i16]),
            cold: ir.struct_type(&[i32, i32, i32, i16, i16]),
            descriptor,
            enter: preserving("thrille_enter", &[pointer]),
            spent: preserving("thrille_spent", &[pointer]),
            behind: preserving("thrille_behind", &[pointer]),
            decide: preserving("thrille_decide", &[pointer, i64]),
            quick: Hook::preserving_as(ir, "thrille_quick", i64, &[]),
            access: telling("thrille_access", &[]),
            range: telling("thrille_range", &[i64]),
            affine: telling("thrille_affine", &[i64, i64]),
            nest: telling("thrille_nest", &[i64, i64, i64, i64]),
            register: ordinary("thrille_register_3", &[pointer, pointer]),
            unregister: ordinary("thrille_unregister", &[pointer, pointer]),
        };
        // Nothing of the program's memory, or of the tables that it looks at, changes.
        thrille_touches_nothing(hooks.quick.function);
        hooks
    }
}

impl Hook {
    fn ordinary(ir: &Ir, name: &str, result: Type, parameters: &[Type]) -> Self {
        let (ty, name) = (ir.function_type(result, parameters), c_name(name));
        let known = LLVMGetNamedFunction(ir.module, name.as_ptr());
        let function = known.some().unwrap_or_else(|| LLVMAddFunction(ir.module, name.as_ptr(), ty));
        LLVMAddAttributeAtIndex(function, FUNCTION, ir.attribute("nounwind"));
        Self { function, ty }
    }

    fn preserving(ir: &Ir, name: &str, parameters: &[Type]) -> Self {
        Self::preserving_as(ir, name, ir.i32, parameters)
    }

    fn preserving_as(ir: &Ir, name: &str, result: Type, parameters: &[Type]) -> Self {
        let hook = Self::ordinary(ir, name, result, parameters);
        LLVMSetFunctionCallConv(hook.function, PRESERVE_MOST);
        // Not by way of the linker's lazy binding, which does not preserve r10.
        for attribute in ["cold", "nomerge", "nonlazybind"] {
            LLVMAddAttributeAtIndex(hook.function, FUNCTION, ir.attribute(attribute));
        }
        hook
    }

    /// Is told of a site, the second argument; the next one is given back.
    fn telling(ir: &Ir, name: &str, more: &[Type]) -> Self {
        let hook = Self::preserving_as(ir, name, ir.pointer, &[&[ir.pointer; 2], more].concat());
        thrille_touches_second(hook.function);
        hook
    }

    /// Calls it here.
    pub fn call(self, ir: &Ir, arguments: &[Value]) -> Value {
        let call = ir.call(self.ty, self.function, arguments);
        LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(self.function));
        // Calls of two sites must not become one: their return addresses tell them apart.
        LLVMAddCallSiteAttribute(call, FUNCTION, ir.attribute("nomerge"));
        call
    }
}
