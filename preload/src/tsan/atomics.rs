//! Atomic instructions. The compiler has replaced them by calls, so they are carried out here.
//!
//! An acquiring operation that sees what a releasing one wrote comes after it, as does an acquire fence after a relaxed one, and what follows on a release fence
//! counts as released with it. To know what an operation saw, those of a process with several threads are carried out under the rank's lock and counted; with one
//! thread there is nothing to order, unless other processes reach the same memory: then they are counted with theirs.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use super::updates;
use crate::confirm::CONFIRMING;
#[cfg(feature = "mpi")]
use crate::counters::Counted;
use crate::counters::any_between_processes;
#[cfg(feature = "mpi")]
use crate::files;
use crate::link::Link;
use crate::rank::{Observed, THREADED, observe};
#[cfg(not(feature = "mpi"))]
use crate::shmem::{between_processes as reached_by_others, is_own, others_changed, update_own};
use crate::uncounted;
use core::arch::naked_asm;
use std::cell::Cell;
use std::ffi::c_int;
use std::sync::MutexGuard;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};
use thrille_model::{Act, Atomic, Domain, Effect, How, Kind};
use thrille_runtime::{Rank, Room, Session};
#[cfg(feature = "mpi")]
use {thrille_model::Word, thrille_runtime::Recorder};

/// Memory orders, as the compiler numbers them.
const CONSUME: c_int = 1;
const RELEASE: c_int = 3;
const ACQ_REL: c_int = 4;
const SEQ_CST: c_int = 5;

fn acquires(order: c_int) -> bool {
    matches!(order, CONSUME | 2 | ACQ_REL | SEQ_CST)
}

fn releases(order: c_int) -> bool {
    matches!(order, RELEASE | ACQ_REL | SEQ_CST)
}

/// What an operation turned out to be.
#[derive(Clone, Copy)]
pub enum Did {
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

thread_local! {
    static ACQUIRED: Cell<Option<Seen>> = const { Cell::new(None) };
    static RELAXED: Cell<Option<Seen>> = const { Cell::new(None) };
}

/// Memory that other processes reach by their own instructions, too: its word, locked. In windows, and in what the program maps.
#[cfg(feature = "mpi")]
fn reached_by_others(_recorder: &mut Recorder, address: u64) -> Option<(Word, Counted)> {
    crate::mpi::between_processes(address).or_else(|| crate::mpi::counted(files::word(address)?))
}

/// Whether it is ordered among this process's threads by itself: not so in windows.
#[cfg(feature = "mpi")]
fn is_own(_recorder: &Recorder, _word: Word) -> bool {
    false
}

#[cfg(feature = "mpi")]
fn others_changed(_counted: &Counted) -> bool {
    true
}

#[cfg(feature = "mpi")]
fn update_own(counted: &mut Counted) -> u64 {
    counted.update()
}

/// The memory order of an operation.
#[derive(Clone, Copy)]
pub struct Ordered {
    pub whole: c_int,
    /// The order that it has when it turns out to be a load only.
    pub load: c_int,
}

impl From<c_int> for Ordered {
    fn from(whole: c_int) -> Self {
        Self { whole, load: whole }
    }
}

/// Carries out an operation and tells what it means.
pub fn atomic<T>(address: u64, width: u8, order: impl Into<Ordered>, pc: u64, operate: impl FnOnce() -> (T, Did)) -> T {
    let Some(mut observed) = observe() else { return operate().0 };
    if observed.confirms() {
        let effect = Effect::Update;
        let kind =
            Kind::Atomic(Atomic { domain: Domain::Processor, through: 0, ty: 0, width, op: 0, ordered: false, effect });
        observed.pc = pc;
        observed.touch(address, u64::from(width), kind, Act::CpuAtomic);
        return operate().0;
    }
    let Observed { session, recorder, .. } = &mut observed;
    recorder.calling = pc;
    // Who has the rank locked locks counters, never the other way round.
    let mut rank = THREADED.load(Ordering::Acquire).then(|| session.rank());
    let between = reached_by_others(recorder, address);
    let among_threads = rank.is_some() && between.as_ref().is_none_or(|(word, _)| is_own(recorder, *word));
    let (value, did) = operate();
    let order = order.into();
    let (reads, writes) = (!matches!(did, Did::Store), !matches!(did, Did::Load));
    let effect = if writes { Effect::Update } else { Effect::Load };
    let kind =
        Kind::Atomic(Atomic { domain: Domain::Processor, through: 0, ty: 0, width, op: 0, ordered: false, effect });
    let how = if reads { How::Modify } else { How::Set };
    let order = if reads && !writes { order.load } else { order.whole };
    let between = between.map(|(word, mut counted)| {
        let saw = (!among_threads || others_changed(&counted)).then(|| counted.version());
        // Of a relaxed store after a fence more is taken to be released than is: all that comes before the store.
        let fenced =
            || rank.as_ref().map_or_else(|| session.rank().has_fenced(recorder), |rank| rank.has_fenced(recorder));
        let made = (writes && (releases(order) || fenced()))
            .then(|| if among_threads { update_own(&mut counted) } else { counted.update() });
        (word, saw, made)
    });
    let words = match &rank {
        Some(rank) if among_threads => rank.local_words(address, width),
        _ => Vec::new(),
    };
    // It comes after what it acquires, and is part of what it releases: whoever sees the last reference go may free the count.
    if let Some(rank) = &mut rank {
        for &word in words.iter().filter(|_| reads) {
            if acquires(order) { rank.await_local(recorder, word) } else { rank.see_local(recorder, word) }
        }
    }
    if let Some((word, Some(version), _)) = between
        && reads
    {
        let seen = Some(Seen { address, version });
        let (last, acquired) = if acquires(order) { (&ACQUIRED, true) } else { (&RELAXED, false) };
        if last.replace(seen) != seen {
            with(&mut rank, session, |rank| {
                if acquired { rank.observe(recorder, word, version) } else { rank.see(recorder, word, version) }
            });
        }
    }
    if !uncounted::is_dark() {
        match &mut rank {
            Some(rank) => {
                if recorder.touch(address, u64::from(width), kind, Act::CpuAtomic, pc) == Room::Full {
                    rank.make_room(recorder);
                }
            }
            None => session.touch(recorder, address, u64::from(width), kind, Act::CpuAtomic, pc),
        }
    }
    if let Some(rank) = &mut rank {
        for &word in words.iter().filter(|_| writes) {
            if releases(order) {
                rank.signal_local(recorder, word, how);
            } else {
                rank.change_local(recorder, word, how);
            }
        }
    }
    if let Some((word, _, Some(version))) = between {
        with(&mut rank, session, |rank| rank.signal(recorder, word, version, how));
    }
    value
}

/// Does something with the rank, which may be locked already.
fn with(locked: &mut Option<MutexGuard<'_, Rank>>, session: &Session<Link>, f: impl FnOnce(&mut Rank)) {
    match locked {
        Some(rank) => f(rank),
        None => f(&mut session.rank()),
    }
}

/// What a load is that returns to this address, and the address that stands for its line.
fn loads(pc: u64, width: u8, order: c_int) -> (Did, u64) {
    const RELAXED: c_int = 0;
    // SAFETY: the program goes on there.
    let end = (order == RELAXED).then(|| unsafe { updates::end(pc, width) }).flatten();
    end.map_or((Did::Load, pc), |end| (Did::Both, end))
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
                let (did, pc) = loads(pc, $bits / 8, order);
                atomic(at as u64, $bits / 8, order, pc, || (unsafe { &*at }.load(Ordering::SeqCst), did))
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
            [<__tsan_atomic $bits _compare_exchange_strong>] "r9" (at: *const $atomic, expected: *mut $ty, value: $ty, order: c_int, failed: c_int, pc: u64) -> c_int {
                exchange(at as u64, $bits / 8, Ordered { whole: order, load: failed }, pc, || unsafe {
                    let result = (*at).compare_exchange(*expected, value, Ordering::SeqCst, Ordering::SeqCst);
                    if let Err(seen) = result {
                        *expected = seen;
                    }
                    result.is_ok()
                })
            }
            [<__tsan_atomic $bits _compare_exchange_weak>] "r9" (at: *const $atomic, expected: *mut $ty, value: $ty, order: c_int, failed: c_int, pc: u64) -> c_int {
                exchange(at as u64, $bits / 8, Ordered { whole: order, load: failed }, pc, || unsafe {
                    let result = (*at).compare_exchange(*expected, value, Ordering::SeqCst, Ordering::SeqCst);
                    if let Err(seen) = result {
                        *expected = seen;
                    }
                    result.is_ok()
                })
            }
            [<__tsan_atomic $bits _compare_exchange_val>] "r9" (at: *const $atomic, expected: $ty, value: $ty, order: c_int, failed: c_int, pc: u64) -> $ty {
                let mut seen = expected;
                exchange(at as u64, $bits / 8, Ordered { whole: order, load: failed }, pc, || {
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

/// A compare-and-exchange. One that fails is a load.
pub fn exchange(address: u64, width: u8, order: Ordered, pc: u64, operate: impl FnOnce() -> bool) -> c_int {
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
    thread_fence(acquires(order), releases(order));
}

/// What a fence means. In a process with one thread it concerns nobody, unless others reach its memory.
pub fn thread_fence(acquires: bool, releases: bool) {
    let Some(Observed { session, recorder, .. }) = &mut observe() else { return };
    if (THREADED.load(Ordering::Acquire) || any_between_processes()) && !CONFIRMING.load(Ordering::Relaxed) {
        session.rank().thread_fence(recorder, acquires, releases);
    }
}

/// A fence of the compiler.
#[unsafe(no_mangle)]
extern "C" fn __tsan_atomic_signal_fence(_order: c_int) {
    std::sync::atomic::compiler_fence(Ordering::SeqCst);
}
