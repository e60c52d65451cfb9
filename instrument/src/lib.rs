//! The compiler plugin for clang: every function twice, plain and instrumented, with a cheap choice between the two.
//!
//! It runs after the compiler's simplifications and before its vectoriser, in a compilation with `-fsanitize=thread`: so clang itself says which
//! functions are to be looked at, does not speculate loads in them, and its sanitizer pass, which comes last, turns atomic instructions
//! into calls in both copies and instruments the few functions that cannot be there twice. What this plugin has taken over is
//! no longer marked for that pass.
//!
//! | module | does |
//! |---|---|
//! | [`accesses`] | which instructions are to be told, and in which groups |
//! | [`eliminate`] | which of them another one stands for |
//! | [`neighbours`] | which of them are one |
//! | [`tables`] | descriptor and site records, see `hooks.h` |
//! | [`check`] | countdown and detour of a group |
//! | [`double`] | the two copies and the choice at the entry |
//! | [`switch`] | the choice at loop headers |
//! | [`behind`] | the way back behind loops |
//! | [`silent`] | what need not be there twice |
//! | [`hooks`] | the library's functions |
//! | [`options`] | what can be switched |
//! | [`source`] | places in the source |
//! | [`ir`], [`llvm`] | the compiler's representation; C++ where it has no C interface is in `shim/` |
//!
//! After Arnold and Ryder's duplication of code and the paper of UPC-Thrille (sections 3 and 4); what deviates: control changes sides at loop headers
//! too, loops without calls leave the instrumented copy and never enter it in the middle, and one countdown serves a basic block.

mod accesses;
mod behind;
mod check;
mod double;
mod eliminate;
mod hooks;
mod ir;
mod llvm;
mod neighbours;
mod options;
mod silent;
mod source;
mod switch;
mod tables;

use double::Work;
use hooks::Hooks;
use ir::Ir;
use llvm::*;
use options::Options;
use std::ffi::{c_char, c_void};
use tables::{Tables, Texts};

/// One compilation.
struct Pass {
    options: Options,
    ir: Ir,
    hooks: Hooks,
    texts: Texts,
    analyses: Analyses,
    layout: Layout,
}

/// What became of a function.
enum Outcome {
    /// There was nothing to tell.
    Silent,
    /// It is there twice, with so many sites, so many checks left out, and so many loops to change sides at.
    Doubled { sites: usize, eliminated: usize, loops: usize, apart: bool },
    /// It is left to the sanitizer.
    Left(&'static str),
}

impl Pass {
    fn function(&mut self, function: Value) -> Outcome {
        if ir::has(function, "presplitcoroutine") {
            return Outcome::Left("it is a coroutine");
        }
        if let Err(accesses::Unfit(why)) = accesses::find(function, self.layout, &[], self.options) {
            return Outcome::Left(why);
        }
        thrille_lower_odd_atomics(function);
        thrille_expand_roots(function);
        thrille_load_chosen(function);
        thrille_forget_analyses(function, self.analyses);
        let spaced = if self.options.ranges { spaced(function, self.analyses, self.options.nests) } else { Vec::new() };
        let Ok(mut found) = accesses::find(function, self.layout, &spaced, self.options) else {
            return Outcome::Silent;
        };
        self.take_over(function);
        let mut eliminated = eliminate::eliminate(function, &mut found.groups, self.options.eliminate);
        if self.options.neighbours {
            eliminated += neighbours::join(function, self.analyses, &mut found.groups);
        }
        if found.groups.is_empty() {
            return Outcome::Silent;
        }
        let loops = if self.options.loops && !found.returns_twice {
            switch::loops(function, self.analyses, &found.groups, &found.calling)
        } else {
            Vec::new()
        };
        let tables = Tables::new(&self.ir, &self.hooks, &mut self.texts, function, &found.groups);
        thrille_forget_analyses(function, self.analyses);
        let work =
            Work { ir: &self.ir, hooks: &self.hooks, tables: &tables, function, in_place: self.options.in_place };
        let apart = self.options.apart && loops.is_empty() && !found.returns_twice && can_jump(function);
        let copy = if apart {
            work.apart(&found.groups)
        } else {
            let doubled = work.in_one(&found.groups);
            if self.options.verify {
                // Afterwards a value that does not reach its use would be one that is not defined there.
                verify(function);
            }
            switch::switch(&work, &doubled, &loops, &found.groups);
            function
        };
        if self.options.verify {
            [function, copy].into_iter().for_each(verify);
        }
        let sites = found.groups.iter().map(|group| group.accesses.len()).sum();
        Outcome::Doubled { sites, eliminated, loops: loops.len(), apart }
    }

    /// The sanitizer need not look at this function any more. What is known of its effects on memory does not hold for the tables.
    fn take_over(&self, function: Value) {
        for name in ["sanitize_thread", "memory"] {
            LLVMRemoveEnumAttributeAtIndex(function, FUNCTION, ir::attribute(name));
        }
    }

    /// Tells the library of this file's tables when the program starts, and when it or a library that contains them is unloaded.
    fn register(&self) {
        let ir = &self.ir;
        let bound = |name: &std::ffi::CStr| {
            let global = LLVMAddGlobal(ir.module, ir.i8, name.as_ptr());
            LLVMSetLinkage(global, linkage::EXTERNAL);
            LLVMSetVisibility(global, 1);
            global
        };
        let bounds = [bound(c"__start_thrille_functions_3"), bound(c"__stop_thrille_functions_3")];
        let caller = |name: &std::ffi::CStr, hook: hooks::Hook| {
            let function = LLVMAddFunction(ir.module, name.as_ptr(), ir.function_type(ir.void, &[]));
            LLVMSetLinkage(function, linkage::INTERNAL);
            for attribute in ["optsize", "minsize"] {
                LLVMAddAttributeAtIndex(function, FUNCTION, ir.attribute(attribute));
            }
            ir.at_end(ir.append(function, "entry"));
            hook.call(ir, &bounds);
            ir.give_back(None);
            function
        };
        thrille_at_start(caller(c"thrille.start", self.hooks.register));
        thrille_at_end(caller(c"thrille.end", self.hooks.unregister));
    }
}

/// Whether a function can hand over to another one of its type by a jump, so that nobody sees two frames: all arguments are in registers.
fn can_jump(function: Value) -> bool {
    const REGISTERS: u32 = 6;
    let ty = LLVMGlobalGetValueType(function);
    let plain = |index: u32| {
        let special = ["byval", "sret", "inalloca", "preallocated", "swiftself", "swifterror", "swiftasync", "nest"];
        let has = |name: &&str| !LLVMGetEnumAttributeAtIndex(function, index + 1, ir::attribute(name)).is_none();
        !special.iter().any(has)
    };
    let count = LLVMCountParams(function);
    LLVMIsFunctionVarArg(ty) == 0 && count <= REGISTERS && (0..count).all(plain) && !ir::has(function, "optnone")
}

/// The accesses of loops that are told before them.
fn spaced(function: Value, analyses: Analyses, nests: bool) -> Vec<Affine> {
    unsafe extern "C" fn visit(all: *mut c_void, told: *const Affine) {
        // SAFETY: called back with the vector below and an access.
        unsafe { (*all.cast::<Vec<Affine>>()).push(*told) };
    }
    let mut all: Vec<Affine> = Vec::new();
    // SAFETY: the callback is given the vector, which outlives the call.
    unsafe { thrille_affine(function, analyses, nests, visit, (&raw mut all).cast()) };
    all
}

fn verify(function: Value) {
    const PRINT: i32 = 1;
    if LLVMVerifyFunction(function, PRINT) != 0 {
        eprintln!(
            "thrille: the plugin has made a mistake in {}: compile with THRILLE_INSTRUMENT=hooks",
            ir::name(function)
        );
        std::process::abort();
    }
}

/// The pass, called by the shim.
#[unsafe(no_mangle)]
extern "C" fn thrille_run_module(module: Module, analyses: Analyses) -> i32 {
    let wanted = |&f: &Value| {
        LLVMIsDeclaration(f) == 0
            && LLVMGetLinkage(f) != linkage::AVAILABLE_EXTERNALLY
            && ir::has(f, "sanitize_thread")
            && !ir::has(f, "naked")
            && !ir::has(f, "disable_sanitizer_instrumentation")
    };
    let functions: Vec<Value> = ir::functions(module).filter(wanted).collect();
    if functions.is_empty() {
        return 0;
    }
    thrille_join_initializers(module);
    let ir = Ir::new(module);
    let (hooks, texts) = (Hooks::new(&ir), Texts::new(&ir));
    let mut options = Options::from_environment();
    // What need not be told is known where tasks are followed.
    options.in_place &= ir::is_openmp(module);
    let mut pass = Pass { options, ir, hooks, texts, analyses, layout: LLVMGetModuleDataLayout(module) };
    let mut doubled = 0;
    for function in functions {
        let name = ir::name(function);
        let outcome = pass.function(function);
        doubled += usize::from(matches!(outcome, Outcome::Doubled { .. }));
        if options.report {
            match outcome {
                Outcome::Silent => eprintln!("thrille: {name}: nothing to tell"),
                Outcome::Left(why) => eprintln!("thrille: {name}: left to the sanitizer, {why}"),
                Outcome::Doubled { sites, eliminated, loops, apart } => {
                    let how = if apart { "apart" } else { "in one" };
                    eprintln!("thrille: {name}: {sites} sites, {eliminated} left out, {loops} loops, {how}");
                }
            }
        }
    }
    if doubled > 0 {
        pass.register();
    }
    let Pass { ir, texts, .. } = pass;
    texts.finish(&ir);
    1
}

/// What a plugin says of itself.
#[repr(C)]
struct PluginInfo {
    interface: u32,
    name: *const c_char,
    version: *const c_char,
    register: extern "C" fn(*mut c_void),
}

extern "C" fn register(builder: *mut c_void) {
    thrille_register_passes(builder);
}

/// The entry point that clang looks for.
#[unsafe(no_mangle)]
extern "C" fn llvmGetPassPluginInfo() -> PluginInfo {
    PluginInfo { interface: 1, name: c"thrille".as_ptr(), version: c"1".as_ptr(), register }
}
