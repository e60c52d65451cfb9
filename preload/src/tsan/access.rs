//! Loads, stores and function entry. Each hook hands its return address on in a register: that is the site.

use crate::confirm::{self, CONFIRMING};
use crate::entry::{Looks, block};
use crate::headers;
use crate::rank::{SESSION, observe};
use core::arch::naked_asm;
use std::sync::atomic::{AtomicBool, Ordering};
use thrille_model::{Act, Comb, Kind};
use thrille_runtime::graph::Touch;
use thrille_runtime::quick;
use thrille_runtime::stacks::Entering;

/// What a hook does first, without saving a register: whether there is anything to do, and by whom. Most executions of a sampled program
/// end here.
#[inline(always)]
fn looked(pc: u64) -> Looks {
    let block = block();
    // SAFETY: the block is this thread's own; the seat lives until the thread is detached; depth 0 means that nobody else in this thread
    // uses it now.
    unsafe {
        // First: in a run that confirms races nearly all of them end here, and none is to cost more than it must.
        if (*block).looks == Looks::Confirms && !confirm::waits_at(pc) {
            return Looks::None;
        }
        if (*block).recorder.is_null() || (*block).depth > 0 {
            return Looks::None;
        }
        match (*block).looks {
            Looks::Sampled if (*(*block).seat).skips(pc) => Looks::None,
            looks => looks,
        }
    }
}

/// The access path when all are looked at: what one instruction does to some bytes.
#[inline(always)]
pub fn touch_all<const N: usize>(address: u64, len: u64, acts: [(Kind, Act); N], pc: u64) {
    // SAFETY: the block is this thread's own.
    let recorder = unsafe { (*block()).recorder };
    let mut full = false;
    for (kind, act) in acts {
        // SAFETY: `looked` found the recorder, this thread's own, and nobody using it.
        full |= unsafe { (*recorder).touch(address, len, kind, act, pc) } == thrille_runtime::runs::Room::Full;
    }
    if full {
        make_room();
    }
}

/// The same when the sampler has something to decide.
#[cold]
#[inline(never)]
fn touch_sampled(address: u64, len: u64, acts: &[(Kind, Act)], pc: u64) {
    let block = block();
    // SAFETY: as above; a thread that is sampled has a seat.
    let full = unsafe { (*(*block).seat).touch(&mut *(*block).recorder, address, len, acts, pc) };
    if full {
        make_room();
    }
}

/// The same in a run that confirms races.
#[cold]
#[inline(never)]
pub fn stand(address: u64, len: u64, acts: &[(Kind, Act)], pc: u64) {
    for &(kind, act) in acts {
        confirm::hook(address, len, Comb::SOLID, kind, act, pc);
    }
}

/// What a hook with bytes of any number does.
fn touch(address: u64, len: u64, kind: Kind, act: Act, pc: u64) {
    match looked(pc) {
        Looks::None => {}
        Looks::All => touch_all(address, len, [(kind, act)], pc),
        Looks::Sampled => touch_sampled(address, len, &[(kind, act)], pc),
        Looks::Confirms => stand(address, len, &[(kind, act)], pc),
    }
}

#[cold]
#[inline(never)]
fn make_room() {
    if let (Some(session), Some(observed)) = (SESSION.get(), crate::rank::observe()) {
        session.drain(observed.recorder);
    }
}

/// The body of a hook. What it does next is a function of its own, so that what it does first needs no stack.
macro_rules! hooked {
    ($address:ident, $len:literal, $acts:expr, $pc:ident) => {{
        const LAST: Touch = if matches!($acts[$acts.len() - 1].0, Kind::Write) { Touch::Write } else { Touch::Read };
        #[inline(never)]
        extern "C" fn all(address: u64, pc: u64) {
            touch_all(address, $len, $acts, pc);
        }
        #[inline(never)]
        extern "C" fn on(address: u64, pc: u64) {
            // SAFETY: the block and the recorder are this thread's own, and `looked` found nobody using them.
            let recorder = unsafe { &mut *(*block()).recorder };
            if let [(kind, act)] = *$acts.as_slice()
                && (recorder.goes_on(address, $len, kind, pc)
                    || (quick::is_allowed() && recorder.touch_on(address, $len, LAST, act, pc, pc)))
            {
                return;
            }
            all(address, pc);
        }
        #[cold]
        #[inline(never)]
        extern "C" fn sampled(address: u64, pc: u64) {
            touch_sampled(address, $len, &$acts, pc);
        }
        #[cold]
        #[inline(never)]
        extern "C" fn confirms(address: u64, pc: u64) {
            stand(address, $len, &$acts, pc);
        }
        match looked($pc) {
            Looks::None => {}
            // SAFETY: `looked` found the recorder, this thread's own, and nobody using it.
            Looks::All if unsafe { (*(*block()).recorder).is_idle_touch($address, $len, LAST, $pc) } => {}
            Looks::All => on($address, $pc),
            Looks::Sampled => sampled($address, $pc),
            Looks::Confirms => confirms($address, $pc),
        }
    }};
}

/// One row a hook: symbol, implementation, bytes, kind.
macro_rules! hooks {
    ($( $symbol:ident $body:ident $len:literal $kind:ident $act:ident; )*) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol() {
            naked_asm!("mov rsi, qword ptr [rsp]", "jmp {to}", to = sym $body)
        }
        extern "C" fn $body(address: u64, pc: u64) {
            hooked!(address, $len, [(Kind::$kind, Act::$act)], pc);
        }
    )* };
}

hooks! {
    __tsan_read1 read1 1 Read Load;
    __tsan_read2 read2 2 Read Load;
    __tsan_read4 read4 4 Read Load;
    __tsan_read8 read8 8 Read Load;
    __tsan_read16 read16 16 Read Load;
    __tsan_write1 write1 1 Write Store;
    __tsan_write2 write2 2 Write Store;
    __tsan_write4 write4 4 Write Store;
    __tsan_write8 write8 8 Write Store;
    __tsan_write16 write16 16 Write Store;
    __tsan_unaligned_read2 unaligned_read2 2 Read Load;
    __tsan_unaligned_read4 unaligned_read4 4 Read Load;
    __tsan_unaligned_read8 unaligned_read8 8 Read Load;
    __tsan_unaligned_read16 unaligned_read16 16 Read Load;
    __tsan_unaligned_write2 unaligned_write2 2 Write Store;
    __tsan_unaligned_write4 unaligned_write4 4 Write Store;
    __tsan_unaligned_write8 unaligned_write8 8 Write Store;
    __tsan_unaligned_write16 unaligned_write16 16 Write Store;
    __tsan_volatile_read1 volatile_read1 1 Read Load;
    __tsan_volatile_read2 volatile_read2 2 Read Load;
    __tsan_volatile_read4 volatile_read4 4 Read Load;
    __tsan_volatile_read8 volatile_read8 8 Read Load;
    __tsan_volatile_read16 volatile_read16 16 Read Load;
    __tsan_volatile_write1 volatile_write1 1 Write Store;
    __tsan_volatile_write2 volatile_write2 2 Write Store;
    __tsan_volatile_write4 volatile_write4 4 Write Store;
    __tsan_volatile_write8 volatile_write8 8 Write Store;
    __tsan_volatile_write16 volatile_write16 16 Write Store;
    __tsan_vptr_read vptr_read 8 Read Load;
    __tsan_vptr_update vptr_update 8 Write Store;
}

/// Hooks for a load and a store of the same place.
macro_rules! both {
    ($( $symbol:ident $body:ident $len:literal; )*) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol() {
            naked_asm!("mov rsi, qword ptr [rsp]", "jmp {to}", to = sym $body)
        }
        extern "C" fn $body(address: u64, pc: u64) {
            hooked!(address, $len, [(Kind::Read, Act::Load), (Kind::Write, Act::Store)], pc);
        }
    )* };
}

both! {
    __tsan_read_write1 read_write1 1;
    __tsan_read_write2 read_write2 2;
    __tsan_read_write4 read_write4 4;
    __tsan_read_write8 read_write8 8;
    __tsan_read_write16 read_write16 16;
    __tsan_unaligned_read_write2 unaligned_read_write2 2;
    __tsan_unaligned_read_write4 unaligned_read_write4 4;
    __tsan_unaligned_read_write8 unaligned_read_write8 8;
    __tsan_unaligned_read_write16 unaligned_read_write16 16;
}

/// Hooks whose bodies take the return address, or the stack pointer, as one argument more.
macro_rules! hooks_with {
    ($( $symbol:ident $body:ident $load:literal ( $($arg:ident : $ty:ty),* ) $code:block )*) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol() {
            naked_asm!($load, "jmp {to}", to = sym $body)
        }
        unsafe extern "C" fn $body($($arg: $ty),*) $code
    )* };
}

hooks_with! {
    __tsan_read_range read_range "mov rdx, qword ptr [rsp]" (address: u64, len: u64, pc: u64) {
        if len > 0 { touch(address, len, Kind::Read, Act::Load, pc); }
    }
    __tsan_write_range write_range "mov rdx, qword ptr [rsp]" (address: u64, len: u64, pc: u64) {
        if len > 0 { touch(address, len, Kind::Write, Act::Store, pc); }
    }
    __tsan_func_entry func_entry "mov rsi, rsp" (call: u64, sp: u64) {
        if CONFIRMING.load(Ordering::Relaxed) { return; }
        let block = block();
        // SAFETY: the block and the recorder are this thread's own, and nobody in this thread uses them at depth 0. The hook's return address, which no other function has, is where
        // the stack pointer was.
        unsafe {
            let function = *(sp as *const u64);
            if (*block).recorder.is_null() || (*block).depth > 0 {
                return;
            }
            if let Some(session) = SESSION.get() {
                session.enter_function(&mut *(*block).recorder, Entering { call, sp, function }, headers::holds);
            }
            if let Some(seat) = (*block).seat.as_mut() {
                seat.enter(function, sp);
            }
        }
    }
}

/// Leaves a function.
#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_func_exit() {
    if CONFIRMING.load(Ordering::Relaxed) {
        return;
    }
    let block = block();
    // SAFETY: as for the entry.
    unsafe {
        if !(*block).recorder.is_null() && (*block).depth == 0 {
            (*(*block).recorder).leave();
            if let Some(seat) = (*block).seat.as_mut() {
                seat.leave();
            }
        }
    }
}

/// Called by every instrumented file before `main`.
#[unsafe(no_mangle)]
extern "C" fn __tsan_init() {
    INSTRUMENTED.store(true, Ordering::Relaxed);
    // A library that is loaded later: what was told of calls alone is settled.
    drop(observe());
    confirm::loaded_more();
}

/// Whether the program has instrumented code.
pub static INSTRUMENTED: AtomicBool = AtomicBool::new(false);

/// clang's spelling of the memory functions: the redirected ones.
macro_rules! clang_memory {
    ($( $symbol:ident $to:ident; )*) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol() {
            naked_asm!("jmp {to}", to = sym crate::memory::$to)
        }
    )* };
}

clang_memory! {
    __tsan_memcpy __wrap_memcpy;
    __tsan_memmove __wrap_memmove;
    __tsan_memset __wrap_memset;
}
