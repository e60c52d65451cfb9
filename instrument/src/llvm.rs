//! The part of LLVM's C interface that the plugin uses, and of its own C++ (`shim/`). The functions listed here are the same in LLVM 16 to 19, so one
//! source serves all; the well-known binding crates serve one version each.
//!
//! Handles come from the compiler and live as long as the module that is being compiled: longer than the pass. That is why calling
//! these functions is safe here.
#![allow(non_snake_case, missing_docs, clippy::missing_safety_doc, reason = "the names are LLVM's")]

use std::ffi::{c_char, c_int, c_uint, c_void};

macro_rules! handles {
    ($($name:ident)*) => { $(
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(transparent)]
        pub struct $name(*mut c_void);

        #[allow(dead_code, reason = "not every handle is asked everything")]
        impl $name {
            pub const NONE: Self = Self(std::ptr::null_mut());

            pub fn is_none(self) -> bool {
                self.0.is_null()
            }

            /// None instead of a null handle.
            pub fn some(self) -> Option<Self> {
                (!self.is_none()).then_some(self)
            }
        }
    )* };
}

handles! { Module Context Type Value Block Builder Attribute Layout Analyses Map Metadata }

/// Opcodes, as the C interface numbers them.
pub mod opcode {
    pub const INDIRECT_BRANCH: i32 = 4;
    pub const INVOKE: i32 = 5;
    pub const ALLOCA: i32 = 26;
    pub const LOAD: i32 = 27;
    pub const STORE: i32 = 28;
    pub const PHI: i32 = 44;
    pub const CALL: i32 = 45;
    pub const FENCE: i32 = 55;
    pub const COMPARE_EXCHANGE: i32 = 56;
    pub const READ_MODIFY_WRITE: i32 = 57;
    pub const LANDING_PAD: i32 = 59;
    pub const CLEANUP_RETURN: i32 = 61;
    pub const CATCH_SWITCH: i32 = 65;
    pub const CALL_BRANCH: i32 = 67;
}

/// Comparisons.
pub mod compare {
    pub const EQUAL: i32 = 32;
    pub const NOT_EQUAL: i32 = 33;
    pub const AT_LEAST: i32 = 35;
    pub const SIGNED_LESS: i32 = 40;
}

/// Linkage of symbols.
pub mod linkage {
    pub const EXTERNAL: i32 = 0;
    pub const AVAILABLE_EXTERNALLY: i32 = 1;
    pub const INTERNAL: i32 = 8;
}

/// Kinds of types.
pub mod kind {
    pub const VOID: i32 = 0;
    pub const TOKEN: i32 = 16;
}

/// All registers but the result's and r11 are the caller's.
pub const PRESERVE_MOST: c_uint = 14;
/// Attributes of the function itself, not of a parameter.
pub const FUNCTION: c_uint = u32::MAX;
/// No name.
pub const UNNAMED: *const c_char = c"".as_ptr();

/// A loop, as the analysis tells it.
#[repr(C)]
pub struct ToldLoop {
    pub header: Block,
    pub blocks: *const Block,
    pub count: usize,
    pub innermost: bool,
}

/// An access of a loop at equally spaced addresses.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Affine {
    pub access: Value,
    pub before: Value,
    pub start: Value,
    pub times: Value,
    pub step: Value,
    /// None if it is one row.
    pub rows: Value,
    pub pitch: Value,
}

/// Text of the compiler's.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Text {
    pub at: *const u8,
    pub len: usize,
}

/// A place in the source.
#[repr(C)]
pub struct ToldSource {
    pub directory: Text,
    pub file: Text,
    pub function: Text,
    pub line: c_uint,
    pub column: c_uint,
}

unsafe extern "C" {
    pub safe fn LLVMGetModuleContext(module: Module) -> Context;
    pub safe fn LLVMGetModuleDataLayout(module: Module) -> Layout;
    pub safe fn LLVMGetModuleFlag(module: Module, name: *const c_char, len: usize) -> Metadata;
    pub safe fn LLVMGetGlobalParent(global: Value) -> Module;
    pub fn LLVMGetSourceFileName(module: Module, len: *mut usize) -> *const u8;
    pub safe fn LLVMGetFirstFunction(module: Module) -> Value;
    pub safe fn LLVMGetNextFunction(function: Value) -> Value;
    pub safe fn LLVMGetNamedFunction(module: Module, name: *const c_char) -> Value;
    pub safe fn LLVMAddFunction(module: Module, name: *const c_char, ty: Type) -> Value;
    pub safe fn LLVMAddGlobal(module: Module, ty: Type, name: *const c_char) -> Value;

    pub safe fn LLVMDeleteGlobal(global: Value);
    pub safe fn LLVMIsDeclaration(global: Value) -> c_int;
    pub safe fn LLVMGetLinkage(global: Value) -> c_int;
    pub safe fn LLVMSetLinkage(global: Value, linkage: c_int);
    pub safe fn LLVMSetVisibility(global: Value, visibility: c_int);
    pub safe fn LLVMSetSection(global: Value, section: *const c_char);
    pub safe fn LLVMSetAlignment(value: Value, bytes: c_uint);
    pub safe fn LLVMSetInitializer(global: Value, value: Value);
    pub safe fn LLVMSetGlobalConstant(global: Value, constant: c_int);
    pub safe fn LLVMIsGlobalConstant(global: Value) -> c_int;
    pub safe fn LLVMIsAGlobalVariable(value: Value) -> Value;
    pub safe fn LLVMIsAFunction(value: Value) -> Value;
    pub safe fn LLVMIsAAllocaInst(value: Value) -> Value;
    pub safe fn LLVMIsAConstantInt(value: Value) -> Value;
    pub safe fn LLVMIsConstant(value: Value) -> c_int;
    pub safe fn LLVMConstIntGetZExtValue(value: Value) -> u64;
    pub fn LLVMGetValueName2(value: Value, len: *mut usize) -> *const u8;

    pub safe fn LLVMGlobalGetValueType(global: Value) -> Type;
    pub safe fn LLVMGetReturnType(ty: Type) -> Type;
    pub safe fn LLVMIsFunctionVarArg(ty: Type) -> c_int;
    pub safe fn LLVMGetTypeKind(ty: Type) -> c_int;
    pub safe fn LLVMGetPointerAddressSpace(ty: Type) -> c_uint;
    pub safe fn LLVMTypeOf(value: Value) -> Type;
    pub safe fn LLVMStoreSizeOfType(layout: Layout, ty: Type) -> u64;
    pub safe fn LLVMCountParams(function: Value) -> c_uint;
    pub safe fn LLVMGetParam(function: Value, index: c_uint) -> Value;
    pub safe fn LLVMGetFunctionCallConv(function: Value) -> c_uint;
    pub safe fn LLVMSetFunctionCallConv(function: Value, convention: c_uint);
    pub safe fn LLVMSetInstructionCallConv(call: Value, convention: c_uint);
    pub safe fn LLVMSetTailCall(call: Value, tail: c_int);

    pub safe fn LLVMGetEnumAttributeKindForName(name: *const c_char, len: usize) -> c_uint;
    pub safe fn LLVMCreateEnumAttribute(context: Context, kind: c_uint, value: u64) -> Attribute;
    pub safe fn LLVMAddAttributeAtIndex(function: Value, index: c_uint, attribute: Attribute);
    pub safe fn LLVMGetEnumAttributeAtIndex(function: Value, index: c_uint, kind: c_uint) -> Attribute;
    pub safe fn LLVMRemoveEnumAttributeAtIndex(function: Value, index: c_uint, kind: c_uint);
    pub safe fn LLVMGetCallSiteEnumAttribute(call: Value, index: c_uint, kind: c_uint) -> Attribute;
    pub safe fn LLVMAddCallSiteAttribute(call: Value, index: c_uint, attribute: Attribute);

    pub safe fn LLVMGetFirstBasicBlock(function: Value) -> Block;
    pub safe fn LLVMGetNextBasicBlock(block: Block) -> Block;
    pub safe fn LLVMAppendBasicBlockInContext(context: Context, function: Value, name: *const c_char) -> Block;
    pub safe fn LLVMInsertBasicBlockInContext(context: Context, before: Block, name: *const c_char) -> Block;
    pub safe fn LLVMMoveBasicBlockBefore(block: Block, before: Block);
    pub safe fn LLVMBasicBlockAsValue(block: Block) -> Value;
    pub safe fn LLVMValueAsBasicBlock(value: Value) -> Block;
    pub safe fn LLVMGetBasicBlockParent(block: Block) -> Value;
    pub safe fn LLVMGetBasicBlockTerminator(block: Block) -> Value;
    pub safe fn LLVMGetFirstInstruction(block: Block) -> Value;
    pub safe fn LLVMGetNextInstruction(instruction: Value) -> Value;
    pub safe fn LLVMGetInstructionParent(instruction: Value) -> Block;
    pub safe fn LLVMGetInstructionOpcode(instruction: Value) -> c_int;
    pub safe fn LLVMInstructionRemoveFromParent(instruction: Value);
    pub safe fn LLVMInstructionEraseFromParent(instruction: Value);
    pub safe fn LLVMReplaceAllUsesWith(old: Value, new: Value);
    pub safe fn LLVMGetOperand(user: Value, index: c_uint) -> Value;
    pub safe fn LLVMGetNumArgOperands(call: Value) -> u32;
    pub safe fn LLVMGetNumSuccessors(terminator: Value) -> c_uint;
    pub safe fn LLVMGetSuccessor(terminator: Value, index: c_uint) -> Block;
    pub safe fn LLVMSetSuccessor(terminator: Value, index: c_uint, block: Block);
    pub safe fn LLVMCountIncoming(phi: Value) -> c_uint;
    pub safe fn LLVMGetIncomingValue(phi: Value, index: c_uint) -> Value;
    pub safe fn LLVMGetIncomingBlock(phi: Value, index: c_uint) -> Block;
    pub fn LLVMAddIncoming(phi: Value, values: *const Value, blocks: *const Block, count: c_uint);
    pub safe fn LLVMGetCalledValue(call: Value) -> Value;
    pub safe fn LLVMGetOrdering(access: Value) -> c_int;
    pub safe fn LLVMGetVolatile(access: Value) -> c_int;
    pub safe fn LLVMSetVolatile(access: Value, volatile: c_int);

    pub safe fn LLVMVoidTypeInContext(context: Context) -> Type;
    pub safe fn LLVMIntTypeInContext(context: Context, bits: c_uint) -> Type;
    pub safe fn LLVMPointerTypeInContext(context: Context, space: c_uint) -> Type;
    pub fn LLVMStructTypeInContext(context: Context, fields: *const Type, count: c_uint, packed: c_int) -> Type;
    pub safe fn LLVMArrayType(element: Type, count: c_uint) -> Type;
    pub fn LLVMFunctionType(result: Type, parameters: *const Type, count: c_uint, variadic: c_int) -> Type;
    pub safe fn LLVMConstInt(ty: Type, value: u64, signed: c_int) -> Value;
    pub fn LLVMConstStructInContext(context: Context, values: *const Value, count: c_uint, packed: c_int) -> Value;
    pub fn LLVMConstArray(element: Type, values: *const Value, count: c_uint) -> Value;
    pub fn LLVMConstStringInContext(context: Context, text: *const u8, len: c_uint, without_end: c_int) -> Value;
    pub fn LLVMConstGEP2(ty: Type, base: Value, indices: *const Value, count: c_uint) -> Value;
    pub safe fn LLVMGetInlineAsm(
        ty: Type,
        text: *const c_char,
        text_len: usize,
        constraints: *const c_char,
        constraints_len: usize,
        side_effects: c_int,
        aligns_stack: c_int,
        dialect: c_int,
        can_throw: c_int,
    ) -> Value;
    pub safe fn LLVMConstPtrToInt(value: Value, ty: Type) -> Value;
    pub safe fn LLVMConstSub(left: Value, right: Value) -> Value;
    pub safe fn LLVMConstTrunc(value: Value, ty: Type) -> Value;

    pub safe fn LLVMCreateBuilderInContext(context: Context) -> Builder;
    pub safe fn LLVMDisposeBuilder(builder: Builder);
    pub safe fn LLVMPositionBuilderAtEnd(builder: Builder, block: Block);
    pub safe fn LLVMPositionBuilderBefore(builder: Builder, instruction: Value);
    pub safe fn LLVMSetCurrentDebugLocation2(builder: Builder, location: *mut c_void);
    pub safe fn LLVMInsertIntoBuilder(builder: Builder, instruction: Value);
    pub safe fn LLVMBuildPhi(builder: Builder, ty: Type, name: *const c_char) -> Value;
    pub safe fn LLVMBuildBr(builder: Builder, to: Block) -> Value;
    pub safe fn LLVMBuildCondBr(builder: Builder, condition: Value, then: Block, otherwise: Block) -> Value;
    pub safe fn LLVMBuildRet(builder: Builder, value: Value) -> Value;
    pub safe fn LLVMBuildRetVoid(builder: Builder) -> Value;
    pub safe fn LLVMBuildLoad2(builder: Builder, ty: Type, from: Value, name: *const c_char) -> Value;
    pub safe fn LLVMBuildStore(builder: Builder, value: Value, to: Value) -> Value;
    pub safe fn LLVMBuildAnd(builder: Builder, left: Value, right: Value, name: *const c_char) -> Value;
    pub safe fn LLVMBuildOr(builder: Builder, left: Value, right: Value, name: *const c_char) -> Value;
    pub safe fn LLVMBuildXor(builder: Builder, left: Value, right: Value, name: *const c_char) -> Value;
    pub safe fn LLVMBuildLShr(builder: Builder, left: Value, right: Value, name: *const c_char) -> Value;
    pub safe fn LLVMBuildPtrToInt(builder: Builder, value: Value, ty: Type, name: *const c_char) -> Value;
    pub safe fn LLVMBuildIntToPtr(builder: Builder, value: Value, ty: Type, name: *const c_char) -> Value;
    pub safe fn LLVMBuildAdd(builder: Builder, left: Value, right: Value, name: *const c_char) -> Value;
    pub safe fn LLVMBuildICmp(builder: Builder, how: c_int, left: Value, right: Value, name: *const c_char) -> Value;
    pub safe fn LLVMBuildIntCast2(
        builder: Builder,
        value: Value,
        ty: Type,
        signed: c_int,
        name: *const c_char,
    ) -> Value;
    pub fn LLVMBuildCall2(
        builder: Builder,
        ty: Type,
        function: Value,
        arguments: *const Value,
        count: c_uint,
        name: *const c_char,
    ) -> Value;

    pub safe fn LLVMVerifyFunction(function: Value, action: c_int) -> c_int;

    pub safe fn thrille_register_passes(builder: *mut c_void);
    pub fn thrille_loops(
        function: Value,
        analyses: Analyses,
        visit: unsafe extern "C" fn(*mut c_void, *const ToldLoop),
        data: *mut c_void,
    );
    pub fn thrille_affine(
        function: Value,
        analyses: Analyses,
        nests: bool,
        visit: unsafe extern "C" fn(*mut c_void, *const Affine),
        data: *mut c_void,
    );
    pub fn thrille_last(
        function: Value,
        analyses: Analyses,
        header: Block,
        counter: *mut Value,
        last: *mut Value,
    ) -> bool;
    pub safe fn thrille_distance(function: Value, analyses: Analyses, from: Value, to: Value) -> i64;
    pub safe fn thrille_underlying(pointer: Value) -> Value;
    pub safe fn thrille_escapes(alloca: Value) -> bool;
    pub safe fn thrille_in_tables_of_others(global: Value) -> bool;
    pub fn thrille_source(instruction: Value, out: *mut ToldSource) -> bool;
    pub safe fn thrille_place(instruction: Value, like: Value);
    pub safe fn thrille_map_new() -> Map;
    pub safe fn thrille_map_free(map: Map);
    pub safe fn thrille_map_get(map: Map, value: Value) -> Value;
    pub safe fn thrille_copy_function(function: Value, map: Map, name: *const c_char) -> Value;
    pub fn thrille_copy_blocks(function: Value, blocks: *const Block, count: usize, map: Map);
    pub fn thrille_delete_blocks(blocks: *const Block, count: usize);
    pub safe fn thrille_detour(sometimes: Value, before: Value, in_line: bool) -> Value;
    pub safe fn thrille_rarely(branch: Value);
    pub safe fn thrille_once(branch: Value);
    pub fn thrille_join_values(pairs: *const Value, count: usize);
    pub safe fn thrille_go_with(table: Value, function: Value);
    pub safe fn thrille_forget_analyses(function: Value, analyses: Analyses);
    pub safe fn thrille_copy_attributes(call: Value, function: Value);
    pub safe fn thrille_at_start(function: Value);
    pub safe fn thrille_at_end(function: Value);
    pub safe fn thrille_lower_odd_atomics(function: Value);
    pub safe fn thrille_join_initializers(module: Module);
    pub safe fn thrille_initialises(instruction: Value) -> bool;
    pub safe fn thrille_is_arithmetic(call: Value) -> bool;
    pub safe fn thrille_expand_roots(function: Value);
    pub safe fn thrille_load_chosen(function: Value);
    pub safe fn thrille_passes_by_value(call: Value, argument: u32) -> u64;
    pub safe fn thrille_touches_nothing(function: Value);
    pub safe fn thrille_touches_second(function: Value);
    pub safe fn thrille_sink(value: Value);
}
