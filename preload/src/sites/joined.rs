//! What functions call that were compiled twice and joined (`join/`). They count as those of the plugin do, and differ in three ways:
//!
//! * a site's call is an ordinary one, for that one site, and it is the library that sets its countdown again;
//! * once in the instrumented copy, a call of the function stays there: [`visit`](on_visit) tells when the burst is over, for the calls to come;
//! * a function asks at its entry, where all registers that hold arguments are in use, and r11 alone is free.

use super::abi::{Function, Hot};
use super::{hooks, live};
use crate::confirm;
use crate::entry::{Looks, block};
use crate::tsan::access;
use core::arch::naked_asm;
use std::sync::atomic::{AtomicU32, Ordering};

/// Which parts of the processor's state are kept when a function asks, besides the general registers: the vector registers, as far as there are any.
/// 0 if the processor has no instruction for it but the oldest one.
static STATE: AtomicU32 = AtomicU32::new(0);

/// Finds out; before any function asks.
pub fn prepare() {
    use core::arch::x86_64::__cpuid;
    const OSXSAVE: u32 = 1 << 27;
    /// x87, SSE, AVX and the three of AVX-512: 2,688 bytes at most.
    const VECTORS: u32 = 0b1110_0111;
    if __cpuid(1).ecx & OSXSAVE == 0 {
        return;
    }
    let enabled: u32;
    // SAFETY: the processor has said that the instruction may be used; it reads a register.
    unsafe { core::arch::asm!("xgetbv", in("ecx") 0, out("eax") enabled, out("edx") _, options(nomem, nostack)) };
    STATE.store(enabled & VECTORS, Ordering::Relaxed);
}

/// A function is called whose countdown is below zero: its table is in r11, and there goes the answer. Not 0: the instrumented copy. All other
/// registers are the caller's, with all they hold.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn thrille_arrive() {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "push rax",
        "push rcx",
        "push rdx",
        "push rsi",
        "push rdi",
        "push r8",
        "push r9",
        "push r10",
        "sub rsp, 2752",
        "and rsp, -64",
        "mov eax, dword ptr [rip + {state}]",
        "xor edx, edx",
        "test eax, eax",
        "jz 2f",
        // The header must be zero where the instruction does not write it.
        "mov qword ptr [rsp + 512], rdx",
        "mov qword ptr [rsp + 520], rdx",
        "mov qword ptr [rsp + 528], rdx",
        "mov qword ptr [rsp + 536], rdx",
        "mov qword ptr [rsp + 544], rdx",
        "mov qword ptr [rsp + 552], rdx",
        "mov qword ptr [rsp + 560], rdx",
        "mov qword ptr [rsp + 568], rdx",
        "xsave64 [rsp]",
        "mov rdi, r11",
        "call {body}",
        "mov r11d, eax",
        "mov eax, dword ptr [rip + {state}]",
        "xor edx, edx",
        "xrstor64 [rsp]",
        "jmp 3f",
        "2:",
        "fxsave64 [rsp]",
        "mov rdi, r11",
        "call {body}",
        "mov r11d, eax",
        "fxrstor64 [rsp]",
        "3:",
        "lea rsp, [rbp - 64]",
        "pop r10",
        "pop r9",
        "pop r8",
        "pop rdi",
        "pop rsi",
        "pop rdx",
        "pop rcx",
        "pop rax",
        "pop rbp",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
        body = sym on_arrive,
        state = sym STATE,
    )
}

extern "C" fn on_arrive(function: &Function) -> i32 {
    hooks::entered(function)
}

/// Two hooks: the return address and where it is go behind the arguments.
macro_rules! hook {
    ($symbol:ident $body:ident $pc:literal $sp:literal) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol() {
            naked_asm!(
                concat!("mov ", $pc, ", qword ptr [rsp]"),
                concat!("mov ", $sp, ", rsp"),
                "jmp {to}",
                to = sym $body,
            )
        }
    };
}

hook! { thrille_visit on_visit "rdx" "rcx" }
hook! { thrille_visit_range on_visit_range "rcx" "r8" }

/// A site is executed, on its bytes. Most go on where they were: that needs no stack.
extern "C" fn on_visit(address: u64, site: &Hot, pc: u64, sp: u64) {
    let block = block();
    // SAFETY: the block is this thread's own, and so is the recorder, which nobody uses at depth 0.
    unsafe {
        if (*block).looks == Looks::All
            && !(*block).recorder.is_null()
            && (*block).depth == 0
            && (*(*block).recorder).goes_on(address, u64::from(site.size), site.act().0, pc)
        {
            return site.set_countdown(0);
        }
    }
    on_visit_elsewhere(address, site, pc, sp);
}

/// The same of one that does not, or of which others decide.
#[inline(never)]
extern "C" fn on_visit_elsewhere(address: u64, site: &Hot, pc: u64, sp: u64) {
    visited(address, u64::from(site.size), site, pc, sp);
}

/// The same, on so many.
extern "C" fn on_visit_range(address: u64, site: &Hot, bytes: u64, pc: u64, sp: u64) {
    if bytes > 0 {
        visited(address, bytes, site, pc, sp);
    }
}

#[inline(always)]
fn visited(address: u64, bytes: u64, site: &Hot, pc: u64, sp: u64) {
    let block = block();
    // SAFETY: the block is this thread's own.
    let looks = unsafe {
        if (*block).recorder.is_null() || (*block).depth > 0 {
            // Nothing is told now; later it may be.
            return site.set_countdown(0);
        }
        ((*block).pc, (*block).sp) = (pc, sp);
        (*block).looks
    };
    match looks {
        Looks::All => {
            site.set_countdown(0);
            access::touch_all(address, bytes, [site.act()], pc);
        }
        Looks::Sampled => {
            let gap = hooks::sampled(address, site, bytes, pc, sp);
            site.set_countdown(u32::try_from(gap).unwrap_or(0));
        }
        Looks::Confirms => {
            site.set_countdown(live::gap_alone(pc));
            if confirm::waits_at(pc) {
                access::stand(address, bytes, &[site.act()], pc);
            }
        }
        Looks::None => site.set_countdown(u32::MAX),
    }
}
