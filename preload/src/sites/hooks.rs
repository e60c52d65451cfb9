//! What compiled code calls. Its registers are its own: the calling convention is "preserve most" (see `hooks.h`), which Rust does not have, so
//! each hook is a few lines of assembly around an ordinary function. They keep a frame, so that stacks can be walked through them.

use super::abi::{Function, Hot, Mode, kind};
use super::policy::{Turn, policy};
use crate::entry::block;
use crate::rank::SESSION;
use crate::sampled;
use core::arch::naked_asm;
use thrille_model::{Act, Kind};
use thrille_runtime::Recorder;
use thrille_runtime::runs::Room;

/// A hook: its symbol, its body, and where the return address and its place go.
macro_rules! hook {
    ($symbol:ident $body:ident $pc:literal $sp:literal) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol() {
            naked_asm!(
                ".cfi_startproc",
                "push rbp",
                ".cfi_def_cfa_offset 16",
                ".cfi_offset rbp, -16",
                "mov rbp, rsp",
                ".cfi_def_cfa_register rbp",
                "push rcx",
                "push rdx",
                "push rsi",
                "push rdi",
                "push r8",
                "push r9",
                "push r10",
                "and rsp, -16",
                concat!("mov ", $pc, ", qword ptr [rbp + 8]"),
                concat!("lea ", $sp, ", [rbp + 8]"),
                "call {body}",
                "lea rsp, [rbp - 56]",
                "pop r10",
                "pop r9",
                "pop r8",
                "pop rdi",
                "pop rsi",
                "pop rdx",
                "pop rcx",
                "pop rbp",
                ".cfi_def_cfa rsp, 8",
                "ret",
                ".cfi_endproc",
                body = sym $body,
            )
        }
    };
}

hook! { thrille_enter enter "rsi" "rdx" }
hook! { thrille_spent spent "rsi" "rdx" }
hook! { thrille_behind behind "rsi" "rdx" }
hook! { thrille_access access "rdx" "rcx" }
hook! { thrille_range range "rcx" "r8" }
hook! { thrille_affine affine "r8" "r9" }

/// What a hook gives back for "ask me again next time".
const AGAIN: i32 = 0;

fn granted(function: &Function, turn: Turn) -> i32 {
    if turn.accesses > 0 {
        function.set_budget(turn.accesses);
        function.set_mode(Mode::In);
        return 1;
    }
    function.set_countdown(turn.calls);
    function.set_mode(if turn.asks { Mode::Ask } else { Mode::Count });
    0
}

extern "C" fn enter(function: &Function, _pc: u64, _sp: u64) -> i32 {
    entered(function)
}

/// A function asks at its entry. Not 0: the instrumented copy.
pub fn entered(function: &Function) -> i32 {
    granted(function, policy().call(function))
}

/// A site of a joined function asks, which counts for itself alone: executions to let pass.
#[inline(never)]
pub fn sampled(address: u64, site: &Hot, bytes: u64, pc: u64, sp: u64) -> i32 {
    told(address, site, 1, pc, sp, |recorder, kind, act, _| recorder.touch(address, bytes, kind, act, pc))
}

extern "C" fn spent(function: &Function, _pc: u64, _sp: u64) -> i32 {
    granted(function, policy().spent(function))
}

extern "C" fn behind(function: &Function, _pc: u64, _sp: u64) -> i32 {
    let accesses = policy().behind(function);
    if accesses == 0 {
        function.set_mode(Mode::Count);
        return 0;
    }
    function.look(accesses);
    1
}

/// Tells the recorder, if the policy wants it: `tell` is called for each kind of access that the site makes.
#[inline(always)]
fn told(
    address: u64,
    site: &Hot,
    times: u64,
    pc: u64,
    sp: u64,
    tell: impl Fn(&mut Recorder, Kind, Act, Option<(u64, u64)>) -> Room,
) -> i32 {
    let block = block();
    // SAFETY: the block is this thread's own; the recorder lives until the thread is detached; depth 0 means that nobody else in this
    // thread uses it now.
    let recorder = unsafe {
        if (*block).recorder.is_null() || (*block).depth > 0 {
            return AGAIN;
        }
        ((*block).pc, (*block).sp) = (pc, sp);
        &mut *(*block).recorder
    };
    let from = sampled::clock();
    let verdict = policy().site(site, pc, times, &mut || !recorder.is_private(address, 1));
    if verdict.keep {
        let library = site.kind & kind::LIBRARY != 0;
        let mut full = false;
        for (bit, kind, act) in [(kind::READ, Kind::Read, Act::Load), (kind::WRITE, Kind::Write, Act::Store)] {
            if site.kind & bit != 0 {
                full |= tell(recorder, kind, if library { Act::LibraryCall } else { act }, verdict.part) == Room::Full;
            }
        }
        if full && let (Some(session), Some(observed)) = (SESSION.get(), crate::rank::observe()) {
            session.drain(observed.recorder);
        }
    }
    if let Some(from) = from {
        let spent = sampled::ticks().wrapping_sub(from);
        policy().cost(spent, sampled::worked(), verdict.keep);
    }
    i32::try_from(verdict.gap).unwrap_or(i32::MAX)
}

extern "C" fn access(address: u64, site: &Hot, pc: u64, sp: u64) -> i32 {
    told(address, site, 1, pc, sp, |recorder, kind, act, _| {
        recorder.touch(address, u64::from(site.size), kind, act, pc)
    })
}

extern "C" fn range(address: u64, site: &Hot, bytes: u64, pc: u64, sp: u64) -> i32 {
    told(address, site, 1, pc, sp, |recorder, kind, act, _| recorder.touch_range(address, bytes, kind, act, pc))
}

extern "C" fn affine(address: u64, site: &Hot, times: u64, step: i64, pc: u64, sp: u64) -> i32 {
    let size = u64::from(site.size);
    told(address, site, times, pc, sp, |recorder, kind, act, part| {
        if step.unsigned_abs() <= size {
            // Nothing is left out in between.
            let reach = step.unsigned_abs().wrapping_mul(times.wrapping_sub(1));
            let first = if step < 0 { address.wrapping_sub(reach) } else { address };
            recorder.executed += times.saturating_sub(1);
            return recorder.touch_range(first, reach + size, kind, act, pc);
        }
        let mut room = Room::Enough;
        // Of a long row of separate places, a part is what a sample can afford.
        let (first, times) = match part {
            Some((first, most)) if times > most => (first.min(times - most), most),
            _ => (0, times),
        };
        let mut at = address.wrapping_add_signed(step.wrapping_mul(first as i64));
        for _ in 0..times {
            if recorder.touch(at, size, kind, act, pc) == Room::Full {
                room = Room::Full;
                if let Some(session) = SESSION.get() {
                    session.drain(recorder);
                }
            }
            at = at.wrapping_add_signed(step);
        }
        room
    })
}
