//! The tables of a function: descriptor, hot and cold records of its sites. See `hooks.h`.

use crate::accesses::{Extent, Group, synchronises};
use crate::hooks::{Hooks, OFF};
use crate::ir::{self, Ir};
use crate::llvm::*;
use crate::source::Source;

/// A trait, of `hooks.h`: calls nobody.
const LEAF: u64 = 4;

/// Where the linker gathers descriptors of this version.
pub const SECTION: &std::ffi::CStr = c"thrille_functions_3";

/// One function's.
pub struct Tables {
    descriptor: Value,
    descriptor_type: Type,
    hot: Value,
    hot_type: Type,
}

impl Tables {
    /// Makes them: one site for each access, those of a group together.
    pub fn new(ir: &Ir, hooks: &Hooks, texts: &mut Texts, function: Value, groups: &[Group]) -> Self {
        let name = ir::name(function);
        let sites: Vec<_> = groups.iter().flat_map(|group| &group.accesses).collect();
        let count = sites.len() as u32;
        let (zero32, zero64) = (ir.int(ir.i32, 0), ir.int(ir.i64, 0));
        let hot: Vec<Value> = (sites.iter())
            .map(|site| {
                let bytes = match site.extent {
                    Extent::Bytes(bytes) | Extent::Spaced { bytes, .. } => bytes,
                    Extent::Length(_) => 0,
                };
                let (kind, size) = (ir.int(ir.i8, site.kind.into()), ir.int(ir.i16, bytes.into()));
                ir.structure(&[zero32, ir.int(ir.i8, 0), kind, size])
            })
            .collect();
        let hot = ir.global(&format!("thrille.hot.{name}"), ir.array(hooks.hot, &hot));
        LLVMSetAlignment(hot, 8);
        let cold = cold(ir, hooks, texts, groups, &name);
        let file = ir::source_file(ir.module);
        let id = ir.int(ir.i64, id(&file, &name));
        let text = texts.add(&name);
        // Traits, and the library's own.
        let leaf = !ir::blocks(function).any(synchronises);
        let own = ir.structure(&[ir.int(ir.i64, if leaf { LEAF } else { 0 }), zero64]);
        let off = ir.int(ir.i32, OFF);
        let name_at = texts.address(ir, text);
        let values = [off, zero32, zero32, ir.int(ir.i32, count.into()), hot, cold, name_at, id, own];
        let descriptor = ir.global(&format!("thrille.function.{name}"), ir.structure(&values));
        LLVMSetSection(descriptor, SECTION.as_ptr());
        LLVMSetAlignment(descriptor, 64);
        for table in [hot, cold, descriptor] {
            thrille_go_with(table, function);
        }
        Self { descriptor, descriptor_type: hooks.descriptor, hot, hot_type: LLVMArrayType(hooks.hot, count) }
    }

    /// The descriptor.
    pub fn descriptor(&self) -> Value {
        self.descriptor
    }

    pub fn mode(&self, ir: &Ir) -> Value {
        ir.part(self.descriptor_type, self.descriptor, &[0])
    }

    pub fn budget(&self, ir: &Ir) -> Value {
        ir.part(self.descriptor_type, self.descriptor, &[1])
    }

    pub fn countdown(&self, ir: &Ir) -> Value {
        ir.part(self.descriptor_type, self.descriptor, &[2])
    }

    /// The hot record of a site, which begins with its countdown.
    pub fn site(&self, ir: &Ir, number: usize) -> Value {
        ir.part(self.hot_type, self.hot, &[number as u32])
    }
}

fn cold(ir: &Ir, hooks: &Hooks, texts: &mut Texts, groups: &[Group], name: &str) -> Value {
    let count: usize = groups.iter().map(|group| group.accesses.len()).sum();
    let ty = LLVMArrayType(hooks.cold, count as u32);
    let table = LLVMAddGlobal(ir.module, ty, ir::c_name(&format!("thrille.cold.{name}")).as_ptr());
    let mut records = Vec::with_capacity(count);
    for group in groups {
        for (index, access) in group.accesses.iter().enumerate() {
            let together = if index == 0 { group.accesses.len() } else { 0 };
            let source = Source::of(access.instruction);
            let mut told = |field: u32, text: Option<&str>| match text.filter(|text| !text.is_empty()) {
                None => ir.int(ir.i32, 0),
                Some(text) => {
                    let at = texts.add(text);
                    let (to, from) = (texts.address(ir, at), ir.part(ty, table, &[records.len() as u32, field]));
                    let distance = LLVMConstSub(LLVMConstPtrToInt(to, ir.i64), LLVMConstPtrToInt(from, ir.i64));
                    LLVMConstTrunc(distance, ir.i32)
                }
            };
            let file = told(0, source.as_ref().map(|s| s.file.as_str()));
            let function = told(1, source.as_ref().map(|s| s.function.as_str()));
            let (line, column) = source.map_or((0, 0), |s| (s.line, s.column.min(u32::from(u16::MAX))));
            let short = |value: u64| ir.int(ir.i16, value.min(u64::from(u16::MAX)));
            let line = ir.int(ir.i32, line.into());
            records.push(ir.structure(&[file, function, line, short(column.into()), short(together as u64)]));
        }
    }
    LLVMSetInitializer(table, ir.array(hooks.cold, &records));
    LLVMSetLinkage(table, linkage::INTERNAL);
    LLVMSetGlobalConstant(table, 1);
    LLVMSetAlignment(table, 4);
    table
}

/// A function's number: the same in each build of its file. (FNV-1a.)
fn id(file: &str, name: &str) -> u64 {
    let bytes = file.bytes().chain([0]).chain(name.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// All texts of a module, each once, in one piece.
pub struct Texts {
    bytes: Vec<u8>,
    known: std::collections::HashMap<String, u32>,
    global: Value,
}

impl Texts {
    /// None yet.
    pub fn new(ir: &Ir) -> Self {
        // Its length is known in the end; until then it stands for its address alone.
        let global = LLVMAddGlobal(ir.module, ir.i8, c"thrille.texts.unfinished".as_ptr());
        Self { bytes: Vec::new(), known: std::collections::HashMap::new(), global }
    }

    fn add(&mut self, text: &str) -> u32 {
        let bytes = &mut self.bytes;
        *self.known.entry(text.to_owned()).or_insert_with(|| {
            let at = bytes.len() as u32;
            bytes.extend(text.bytes().filter(|&byte| byte != 0).chain([0]));
            at
        })
    }

    fn address(&self, ir: &Ir, at: u32) -> Value {
        let ty = LLVMArrayType(ir.i8, u32::MAX);
        ir.part(ty, self.global, &[at])
    }

    /// Puts them into the module.
    pub fn finish(self, ir: &Ir) {
        let all = ir.global("thrille.texts", ir.text(if self.bytes.is_empty() { &[0] } else { &self.bytes }));
        LLVMSetGlobalConstant(all, 1);
        LLVMSetAlignment(all, 1);
        LLVMReplaceAllUsesWith(self.global, all);
        LLVMDeleteGlobal(self.global);
    }
}

#[cfg(test)]
mod tests {
    use super::id;

    #[test]
    fn numbers_depend_on_both_names() {
        assert_eq!(id("a.c", "main"), id("a.c", "main"));
        assert_ne!(id("a.c", "main"), id("b.c", "main"));
        assert_ne!(id("a", "bc"), id("ab", "c"));
    }
}
