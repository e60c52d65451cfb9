//! The compiler's representation in the words of the plugin.

use crate::llvm::*;
use std::ffi::CString;

/// A name as C has it.
pub fn c_name(name: &str) -> CString {
    CString::new(name.replace('\0', "")).unwrap_or_default()
}

/// The functions of a module.
pub fn functions(module: Module) -> impl Iterator<Item = Value> {
    std::iter::successors(LLVMGetFirstFunction(module).some(), |&f| LLVMGetNextFunction(f).some())
}

/// Whether a module is compiled with OpenMP.
pub fn is_openmp(module: Module) -> bool {
    const FLAG: &str = "openmp";
    !LLVMGetModuleFlag(module, FLAG.as_ptr().cast(), FLAG.len()).is_none()
}

/// The blocks of a function.
pub fn blocks(function: Value) -> impl Iterator<Item = Block> {
    std::iter::successors(LLVMGetFirstBasicBlock(function).some(), |&b| LLVMGetNextBasicBlock(b).some())
}

/// The instructions of a block.
pub fn instructions(block: Block) -> impl Iterator<Item = Value> {
    std::iter::successors(LLVMGetFirstInstruction(block).some(), |&i| LLVMGetNextInstruction(i).some())
}

/// The join points at the beginning of a block.
pub fn phis(block: Block) -> Vec<Value> {
    instructions(block).take_while(|&i| LLVMGetInstructionOpcode(i) == opcode::PHI).collect()
}

/// What a join point takes, and from where.
pub fn incoming(phi: Value) -> impl Iterator<Item = (Value, Block)> {
    (0..LLVMCountIncoming(phi)).map(move |i| (LLVMGetIncomingValue(phi, i), LLVMGetIncomingBlock(phi, i)))
}

/// One more.
pub fn add_incoming(phi: Value, value: Value, from: Block) {
    // SAFETY: one value and one block.
    unsafe { LLVMAddIncoming(phi, &raw const value, &raw const from, 1) };
}

/// Where a block goes on.
pub fn successors(block: Block) -> impl Iterator<Item = Block> {
    let end = LLVMGetBasicBlockTerminator(block);
    let count = if end.is_none() { 0 } else { LLVMGetNumSuccessors(end) };
    (0..count).map(move |i| LLVMGetSuccessor(end, i))
}

/// Lets all ways from the chosen blocks to `old` lead to `new`.
pub fn redirect(function: Value, old: Block, new: Block, chosen: impl Fn(Block) -> bool) {
    for block in blocks(function).filter(|&block| block != new && chosen(block)) {
        let end = LLVMGetBasicBlockTerminator(block);
        if end.is_none() {
            continue;
        }
        for i in (0..LLVMGetNumSuccessors(end)).filter(|&i| LLVMGetSuccessor(end, i) == old).collect::<Vec<_>>() {
            LLVMSetSuccessor(end, i, new);
        }
    }
}

/// A value's name.
pub fn name(value: Value) -> String {
    let mut len = 0;
    // SAFETY: the compiler's text of that length.
    unsafe {
        let at = LLVMGetValueName2(value, &raw mut len);
        String::from_utf8_lossy(std::slice::from_raw_parts(at, len)).into_owned()
    }
}

/// The file that a module was compiled from.
pub fn source_file(module: Module) -> String {
    let mut len = 0;
    // SAFETY: the compiler's text of that length.
    unsafe {
        let at = LLVMGetSourceFileName(module, &raw mut len);
        String::from_utf8_lossy(std::slice::from_raw_parts(at, len)).into_owned()
    }
}

/// The function that a call names, if it names one.
pub fn callee(call: Value) -> Option<String> {
    LLVMIsAFunction(LLVMGetCalledValue(call)).some().map(name)
}

/// The number of an attribute.
pub fn attribute(name: &str) -> u32 {
    LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len())
}

/// Whether a function has an attribute.
pub fn has(function: Value, name: &str) -> bool {
    !LLVMGetEnumAttributeAtIndex(function, FUNCTION, attribute(name)).is_none()
}

/// Whether a call has an attribute, by itself or by the function it names.
pub fn call_has(call: Value, name: &str) -> bool {
    let callee = LLVMIsAFunction(LLVMGetCalledValue(call));
    !LLVMGetCallSiteEnumAttribute(call, FUNCTION, attribute(name)).is_none()
        || callee.some().is_some_and(|function| has(function, name))
}

/// Types and constants of a module, and a place to write instructions at.
pub struct Ir {
    /// The module.
    pub module: Module,
    context: Context,
    builder: Builder,
    /// Integers and pointers.
    pub i8: Type,
    pub i16: Type,
    pub i32: Type,
    pub i64: Type,
    pub pointer: Type,
    pub void: Type,
}

impl Drop for Ir {
    fn drop(&mut self) {
        LLVMDisposeBuilder(self.builder);
    }
}

impl Ir {
    pub fn new(module: Module) -> Self {
        let context = LLVMGetModuleContext(module);
        let int = |bits| LLVMIntTypeInContext(context, bits);
        Self {
            module,
            context,
            builder: LLVMCreateBuilderInContext(context),
            i8: int(8),
            i16: int(16),
            i32: int(32),
            i64: int(64),
            pointer: LLVMPointerTypeInContext(context, 0),
            void: LLVMVoidTypeInContext(context),
        }
    }

    pub fn int(&self, ty: Type, value: u64) -> Value {
        LLVMConstInt(ty, value, 0)
    }

    pub fn struct_type(&self, fields: &[Type]) -> Type {
        // SAFETY: so many types.
        unsafe { LLVMStructTypeInContext(self.context, fields.as_ptr(), fields.len() as u32, 0) }
    }

    pub fn structure(&self, values: &[Value]) -> Value {
        // SAFETY: so many values.
        unsafe { LLVMConstStructInContext(self.context, values.as_ptr(), values.len() as u32, 0) }
    }

    pub fn array(&self, element: Type, values: &[Value]) -> Value {
        // SAFETY: so many values.
        unsafe { LLVMConstArray(element, values.as_ptr(), values.len() as u32) }
    }

    pub fn text(&self, text: &[u8]) -> Value {
        // SAFETY: so many bytes.
        unsafe { LLVMConstStringInContext(self.context, text.as_ptr(), text.len() as u32, 1) }
    }

    pub fn function_type(&self, result: Type, parameters: &[Type]) -> Type {
        // SAFETY: so many types.
        unsafe { LLVMFunctionType(result, parameters.as_ptr(), parameters.len() as u32, 0) }
    }

    /// The address of a part of a global.
    pub fn part(&self, ty: Type, global: Value, path: &[u32]) -> Value {
        let path: Vec<Value> = std::iter::once(&0).chain(path).map(|&i| self.int(self.i32, u64::from(i))).collect();
        // SAFETY: so many indices.
        unsafe { LLVMConstGEP2(ty, global, path.as_ptr(), path.len() as u32) }
    }

    /// A global that only this module knows.
    pub fn global(&self, name: &str, value: Value) -> Value {
        let global = LLVMAddGlobal(self.module, LLVMTypeOf(value), c_name(name).as_ptr());
        LLVMSetInitializer(global, value);
        LLVMSetLinkage(global, linkage::INTERNAL);
        global
    }

    pub fn attribute(&self, name: &str) -> Attribute {
        LLVMCreateEnumAttribute(self.context, attribute(name), 0)
    }

    pub fn append(&self, function: Value, name: &str) -> Block {
        LLVMAppendBasicBlockInContext(self.context, function, c_name(name).as_ptr())
    }

    pub fn insert_before(&self, block: Block, name: &str) -> Block {
        LLVMInsertBasicBlockInContext(self.context, block, c_name(name).as_ptr())
    }

    /// Writes at the end of a block, at no place of the source.
    pub fn at_end(&self, block: Block) {
        LLVMPositionBuilderAtEnd(self.builder, block);
        LLVMSetCurrentDebugLocation2(self.builder, std::ptr::null_mut());
    }

    /// Writes before an instruction, at no place of the source.
    pub fn before(&self, instruction: Value) {
        LLVMPositionBuilderBefore(self.builder, instruction);
        LLVMSetCurrentDebugLocation2(self.builder, std::ptr::null_mut());
    }

    /// A join point at the beginning of a block, before those that are there.
    pub fn phi(&self, block: Block, ty: Type) -> Value {
        match LLVMGetFirstInstruction(block).some() {
            Some(first) => self.before(first),
            None => self.at_end(block),
        }
        LLVMBuildPhi(self.builder, ty, UNNAMED)
    }

    /// Moves an instruction here.
    pub fn take(&self, instruction: Value) {
        LLVMInstructionRemoveFromParent(instruction);
        LLVMInsertIntoBuilder(self.builder, instruction);
    }

    pub fn jump(&self, to: Block) {
        LLVMBuildBr(self.builder, to);
    }

    /// Branches; the first way is the rare one.
    pub fn rarely(&self, condition: Value, rare: Block, usual: Block) {
        thrille_rarely(self.branch(condition, rare, usual));
    }

    pub fn branch(&self, condition: Value, then: Block, otherwise: Block) -> Value {
        LLVMBuildCondBr(self.builder, condition, then, otherwise)
    }

    pub fn compare(&self, how: i32, left: Value, right: Value) -> Value {
        LLVMBuildICmp(self.builder, how, left, right, UNNAMED)
    }

    /// A 32-bit word that others may change at any time.
    pub fn look(&self, word: Value) -> Value {
        let seen = LLVMBuildLoad2(self.builder, self.i32, word, UNNAMED);
        LLVMSetAlignment(seen, 4);
        LLVMSetVolatile(seen, 1);
        seen
    }

    /// A 64-bit word at an address that is a number, which hooks may change.
    pub fn look_at(&self, address: Value) -> Value {
        let word = LLVMBuildIntToPtr(self.builder, address, self.pointer, UNNAMED);
        let seen = LLVMBuildLoad2(self.builder, self.i64, word, UNNAMED);
        LLVMSetAlignment(seen, 8);
        LLVMSetVolatile(seen, 1);
        seen
    }

    /// Adds to such a word.
    pub fn add_to(&self, address: Value, number: i64) {
        let sum = LLVMBuildAdd(self.builder, self.look_at(address), self.int(self.i64, number as u64), UNNAMED);
        let word = LLVMBuildIntToPtr(self.builder, address, self.pointer, UNNAMED);
        let stored = LLVMBuildStore(self.builder, sum, word);
        LLVMSetAlignment(stored, 8);
        LLVMSetVolatile(stored, 1);
    }

    pub fn as_number(&self, pointer: Value) -> Value {
        LLVMBuildPtrToInt(self.builder, pointer, self.i64, UNNAMED)
    }

    pub fn plus(&self, left: Value, right: u64) -> Value {
        self.sum(left, self.int(self.i64, right))
    }

    pub fn sum(&self, left: Value, right: Value) -> Value {
        LLVMBuildAdd(self.builder, left, right, UNNAMED)
    }

    pub fn and(&self, left: Value, right: u64) -> Value {
        LLVMBuildAnd(self.builder, left, self.int(self.i64, right), UNNAMED)
    }

    pub fn or(&self, left: Value, right: Value) -> Value {
        LLVMBuildOr(self.builder, left, right, UNNAMED)
    }

    pub fn differ(&self, left: Value, right: Value) -> Value {
        LLVMBuildXor(self.builder, left, right, UNNAMED)
    }

    pub fn shift(&self, value: Value, right: Value) -> Value {
        LLVMBuildLShr(self.builder, value, right, UNNAMED)
    }

    pub fn set(&self, word: Value, value: Value) {
        LLVMSetAlignment(LLVMBuildStore(self.builder, value, word), 4);
    }

    /// A value is in a register here, and that is all.
    pub fn use_up(&self, value: Value) {
        let ty = self.function_type(self.void, &[LLVMTypeOf(value)]);
        let (text, constraint) = (UNNAMED, c"r");
        let nothing = LLVMGetInlineAsm(ty, text, 0, constraint.as_ptr(), 1, 1, 0, 0, 0);
        self.call(ty, nothing, &[value]);
    }

    /// A value that is not computed anew where it is used.
    pub fn in_register(&self, value: Value) -> Value {
        let ty = self.function_type(LLVMTypeOf(value), &[LLVMTypeOf(value)]);
        let same = LLVMGetInlineAsm(ty, UNNAMED, 0, c"=r,0".as_ptr(), 4, 0, 0, 0, 0);
        self.call(ty, same, &[value])
    }

    /// Counts a word down, and whether it is below zero now.
    pub fn count_down(&self, word: Value, by: u32) -> Value {
        let old = LLVMBuildLoad2(self.builder, self.i32, word, UNNAMED);
        LLVMSetAlignment(old, 4);
        let minus = LLVMConstInt(self.i32, (-i64::from(by)) as u64, 1);
        let new = LLVMBuildAdd(self.builder, old, minus, UNNAMED);
        self.set(word, new);
        self.compare(compare::SIGNED_LESS, new, self.int(self.i32, 0))
    }

    pub fn as_i64(&self, value: Value) -> Value {
        LLVMBuildIntCast2(self.builder, value, self.i64, 0, UNNAMED)
    }

    pub fn call(&self, ty: Type, function: Value, arguments: &[Value]) -> Value {
        let count = arguments.len() as u32;
        // SAFETY: so many arguments.
        unsafe { LLVMBuildCall2(self.builder, ty, function, arguments.as_ptr(), count, UNNAMED) }
    }

    pub fn give_back(&self, value: Option<Value>) {
        match value {
            Some(value) => LLVMBuildRet(self.builder, value),
            None => LLVMBuildRetVoid(self.builder),
        };
    }
}
