//! Atomic instructions. The compiler has replaced them by calls, so they are carried out here.
//!
//! An acquiring operation that sees what a releasing one wrote comes after it. To know which one it saw, the operations of a process with
//! several threads are carried out under the rank's lock and counted; with one thread there is nothing to order, unless other processes
//! reach the same memory: then they are counted with theirs.
//!
//! A fence that releases makes the relaxed stores after it releasing ones; what they then release is a little more than what came before the
//! fence. One that acquires does so for the last few words that its thread loaded relaxed.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use crate::counters::between_processes;
use crate::rank::{Observed, THREADED, observe};
use core::arch::naked_asm;
use std::cell::Cell;
use std::ffi::c_int;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};
use thrille_model::{Act, Atomic, Domain, Effect, How, Kind, Word};
use thrille_runtime::Room;

/// Memory orders, as the compiler numbers them.
const RELAXED: c_int = 0;
const CONSUME: c_int = 1;
const RELEASE: c_int = 3;
const ACQ_REL: c_int = 4;
pub const SEQ_CST: c_int = 5;

fn acquires(order: c_int) -> bool {
    matches!(order, CONSUME | 2 | ACQ_REL | SEQ_CST)
}

fn releases(order: c_int) -> bool {
    matches!(order, RELEASE | ACQ_REL | SEQ_CST)
}

/// What an operation turned out to be.
#[derive(Clone, Copy)]
enum Did {
    Load,
    Store,
    /// Read and written.
    Both,
}

/// What of such a word this thread saw last: polling it says nothing new.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Seen {
    address: u64,
    version: u64,
}

/// A word that was loaded relaxed, and, if other processes reach it, what of it was seen.
#[derive(Clone, Copy)]
struct Loaded {
    address: u64,
    width: u8,
    between: Option<(Word, u64)>,
}

/// Words that a fence acquires, at most.
const FEW: usize = 4;

thread_local! {
    static LAST: Cell<Option<Seen>> = const { Cell::new(None) };
    /// Whether this thread has come to a fence that releases.
    static FENCED: Cell<bool> = const { Cell::new(false) };
    /// What it loaded relaxed since the last fence that acquires, the last first.
    static LOADED: Cell<[Option<Loaded>; FEW]> = const { Cell::new([None; FEW]) };
}

fn loaded(new: Loaded) {
    let mut all = LOADED.get();
    let known = all.iter().position(|known| known.is_some_and(|known| known.address == new.address));
    all[..=known.unwrap_or(FEW - 1)].rotate_right(1);
    all[0] = Some(new);
    LOADED.set(all);
}

/// A fence of the processor, or what has the effect of one.
pub fn fence(order: c_int) {
    if releases(order) {
        FENCED.set(true);
    }
    if !acquires(order) {
        return;
    }
    for Loaded { address, width, between } in LOADED.take().into_iter().flatten() {
        let Some(Observed { session, recorder, .. }) = &mut observe() else { return };
        let mut rank = session.rank();
        match between {
            Some((word, version)) => rank.observe(recorder, word, version),
            None => {
                for word in rank.local_words(address, width) {
                    rank.await_local(recorder, word);
                }
            }
        }
    }
}

/// Carries out an operation and tells what it means.
fn atomic<T>(address: u64, width: u8, order: c_int, pc: u64, operate: impl FnOnce() -> (T, Did)) -> T {
    let Some(mut observed) = observe() else { return operate().0 };
    if observed.confirms() {
        let effect = Effect::Update;
        let kind = Kind::Atomic(Atomic { domain: Domain::Processor, ty: 0, width, op: 0, ordered: false, effect });
        observed.pc = pc;
        observed.touch(address, u64::from(width), kind, Act::CpuAtomic);
        return operate().0;
    }
    let Observed { session, recorder, .. } = &mut observed;
    let threaded = THREADED.load(Ordering::Acquire);
    let mut between = between_processes(address);
    let mut rank = (threaded && between.is_none()).then(|| session.rank());
    let (value, did) = operate();
    let effect = if matches!(did, Did::Load) { Effect::Load } else { Effect::Update };
    let kind = Kind::Atomic(Atomic { domain: Domain::Processor, ty: 0, width, op: 0, ordered: false, effect });
    let releases = releases(order) || order == RELAXED && FENCED.get();
    let released = (releases && !matches!(did, Did::Load)).then_some(if matches!(did, Did::Store) {
        How::Set
    } else {
        How::Modify
    });
    let acquired = acquires(order) && !matches!(did, Did::Store);
    if !acquires(order) && !matches!(did, Did::Store) && (threaded || between.is_some()) {
        let between = between.as_mut().map(|(word, counted)| (*word, counted.version()));
        loaded(Loaded { address, width, between });
    }
    // It comes after what it acquires, and is part of what it releases: whoever sees the last reference go may free the count.
    if let Some(rank) = &mut rank {
        let words = rank.local_words(address, width);
        for &word in words.iter().filter(|_| acquired) {
            rank.await_local(recorder, word);
        }
        if recorder.touch(address, u64::from(width), kind, Act::CpuAtomic, pc) == Room::Full {
            rank.make_room(recorder);
        }
        if let Some(how) = released {
            for &word in &words {
                rank.signal_local(recorder, word, how);
            }
        }
        return value;
    }
    drop(rank);
    if let Some((word, counted)) = &mut between {
        let seen = Seen { address, version: counted.version() };
        if acquired && LAST.replace(Some(seen)) != Some(seen) {
            session.rank().observe(recorder, *word, seen.version);
        }
        session.touch(recorder, address, u64::from(width), kind, Act::CpuAtomic, pc);
        if let Some(how) = released {
            session.rank().signal(recorder, *word, counted.update(), how);
        }
        return value;
    }
    session.touch(recorder, address, u64::from(width), kind, Act::CpuAtomic, pc);
    value
}

/// A hook whose body takes the return address as its last argument, in the given register.
macro_rules! hooks {
    ($( $symbol:ident $register:literal ( $($arg:ident : $ty:ty),* ) $(-> $ret:ty)? $code:block )*) => { pastey::paste! { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $symbol() {
            naked_asm!(
                "mov r11, qword ptr [rip + thrille_block@GOTTPOFF]",
                concat!("mov ", $register, ", qword ptr [rsp]"),
                concat!("mov qword ptr fs:[r11 + 8], ", $register),
                "mov qword ptr fs:[r11 + 24], rsp",
                "jmp {to}",
                to = sym [<on $symbol>],
            )
        }
        #[allow(non_snake_case, reason = "the symbol's name")]
        unsafe extern "C" fn [<on $symbol>]($($arg: $ty),*) $(-> $ret)? $code
    )* } };
}

/// All operations of one width.
macro_rules! width {
    ($bits:literal, $ty:ty, $atomic:ty) => { pastey::paste! {
        // SAFETY (all rows): the program's own address, which it made an atomic of this width.
        hooks! {
            [<__tsan_atomic $bits _load>] "rdx" (at: *const $atomic, order: c_int, pc: u64) -> $ty {
                atomic(at as u64, $bits / 8, order, pc, || (unsafe { &*at }.load(Ordering::SeqCst), Did::Load))
            }
            [<__tsan_atomic $bits _store>] "rcx" (at: *const $atomic, value: $ty, order: c_int, pc: u64) {
                atomic(at as u64, $bits / 8, order, pc, || (unsafe { &*at }.store(value, Ordering::SeqCst), Did::Store));
            }
            [<__tsan_atomic $bits _exchange>] "rcx" (at: *const $atomic, value: $ty, order: c_int, pc: u64) -> $ty {
                atomic(at as u64, $bits / 8, order, pc, || (unsafe { &*at }.swap(value, Ordering::SeqCst), Did::Both))
            }
            [<__tsan_atomic $bits _fetch_add>] "rcx" (at: *const $atomic, value: $ty, order: c_int, pc: u64) -> $ty {
                atomic(at as u64, $bits / 8, order, pc, || (unsafe { &*at }.fetch_add(value, Ordering::SeqCst), Did::Both))
            }
            [<__tsan_atomic $bits _fetch_sub>] "rcx" (at: *const $atomic, value: $ty, order: c_int, pc: u64) -> $ty {
                atomic(at as u64, $bits / 8, order, pc, || (unsafe { &*at }.fetch_sub(value, Ordering::SeqCst), Did::Both))
            }
            [<__tsan_atomic $bits _fetch_and>] "rcx" (at: *const $atomic, value: $ty, order: c_int, pc: u64) -> $ty {
                atomic(at as u64, $bits / 8, order, pc, || (unsafe { &*at }.fetch_and(value, Ordering::SeqCst), Did::Both))
            }
            [<__tsan_atomic $bits _fetch_or>] "rcx" (at: *const $atomic, value: $ty, order: c_int, pc: u64) -> $ty {
                atomic(at as u64, $bits / 8, order, pc, || (unsafe { &*at }.fetch_or(value, Ordering::SeqCst), Did::Both))
            }
            [<__tsan_atomic $bits _fetch_xor>] "rcx" (at: *const $atomic, value: $ty, order: c_int, pc: u64) -> $ty {
                atomic(at as u64, $bits / 8, order, pc, || (unsafe { &*at }.fetch_xor(value, Ordering::SeqCst), Did::Both))
            }
            [<__tsan_atomic $bits _fetch_nand>] "rcx" (at: *const $atomic, value: $ty, order: c_int, pc: u64) -> $ty {
                atomic(at as u64, $bits / 8, order, pc, || (unsafe { &*at }.fetch_nand(value, Ordering::SeqCst), Did::Both))
            }
            [<__tsan_atomic $bits _compare_exchange_strong>] "r9" (at: *const $atomic, expected: *mut $ty, value: $ty, order: c_int, _failed: c_int, pc: u64) -> c_int {
                exchange(at as u64, $bits / 8, order, pc, || unsafe {
                    let result = (*at).compare_exchange(*expected, value, Ordering::SeqCst, Ordering::SeqCst);
                    if let Err(seen) = result {
                        *expected = seen;
                    }
                    result.is_ok()
                })
            }
            [<__tsan_atomic $bits _compare_exchange_weak>] "r9" (at: *const $atomic, expected: *mut $ty, value: $ty, order: c_int, _failed: c_int, pc: u64) -> c_int {
                exchange(at as u64, $bits / 8, order, pc, || unsafe {
                    let result = (*at).compare_exchange(*expected, value, Ordering::SeqCst, Ordering::SeqCst);
                    if let Err(seen) = result {
                        *expected = seen;
                    }
                    result.is_ok()
                })
            }
            [<__tsan_atomic $bits _compare_exchange_val>] "r9" (at: *const $atomic, expected: $ty, value: $ty, order: c_int, _failed: c_int, pc: u64) -> $ty {
                let mut seen = expected;
                exchange(at as u64, $bits / 8, order, pc, || {
                    let result = unsafe { &*at }.compare_exchange(expected, value, Ordering::SeqCst, Ordering::SeqCst);
                    seen = result.unwrap_or_else(|seen| seen);
                    result.is_ok()
                });
                seen
            }
        }
    } };
}

width! { 8, u8, AtomicU8 }
width! { 16, u16, AtomicU16 }
width! { 32, u32, AtomicU32 }
width! { 64, u64, AtomicU64 }

/// A compare-and-exchange. One that fails is a load; its order for that case is at most the other one.
fn exchange(address: u64, width: u8, order: c_int, pc: u64, operate: impl FnOnce() -> bool) -> c_int {
    let mut succeeded = false;
    atomic(address, width, order, pc, || {
        succeeded = operate();
        ((), if succeeded { Did::Both } else { Did::Load })
    });
    c_int::from(succeeded)
}

/// A fence of the processor.
#[unsafe(no_mangle)]
extern "C" fn __tsan_atomic_thread_fence(order: c_int) {
    std::sync::atomic::fence(Ordering::SeqCst);
    fence(order);
}

/// A fence of the compiler.
#[unsafe(no_mangle)]
extern "C" fn __tsan_atomic_signal_fence(_order: c_int) {
    std::sync::atomic::compiler_fence(Ordering::SeqCst);
}
