//! Atomic instructions on 16 bytes: all are made of the processor's compare-and-exchange.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use crate::entry::{block, entries};
use crate::tsan::atomics::{Did, Ordered, atomic, exchange};
use std::arch::asm;
use std::ffi::c_int;

const WIDTH: u8 = 16;

/// Return address of the hook that this thread is in.
fn pc() -> u64 {
    // SAFETY: this thread's block.
    unsafe { (*block()).pc }
}

/// Stores `new` if `old` is there. Returns what was there.
///
/// # Safety
/// The program's own address, at which it made an atomic of this width.
unsafe fn compare_exchange(at: *mut u128, old: u128, new: u128) -> u128 {
    let (low, high): (u64, u64);
    // SAFETY: as the caller says. Compilers make such atomics for processors that have the instruction: all of the last 15 years. `rbx`,
    // which it reads, is the compiler's own here.
    unsafe {
        asm!(
            "xchg rbx, rsi",
            "lock cmpxchg16b [rdi]",
            "mov rbx, rsi",
            in("rdi") at,
            inout("rsi") new as u64 => _,
            in("rcx") (new >> 64) as u64,
            inout("rax") old as u64 => low,
            inout("rdx") (old >> 64) as u64 => high,
            options(nostack),
        );
    }
    u128::from(high) << 64 | u128::from(low)
}

/// Replaces what is there by what becomes of it. Returns what was there.
///
/// # Safety
/// As [`compare_exchange`].
unsafe fn replace(at: *mut u128, becomes: impl Fn(u128) -> u128) -> u128 {
    let mut old = 0;
    loop {
        // SAFETY: as the caller says.
        let seen = unsafe { compare_exchange(at, old, becomes(old)) };
        if seen == old {
            return old;
        }
        old = seen;
    }
}

fn update(at: *mut u128, order: c_int, becomes: impl Fn(u128) -> u128) -> u128 {
    // SAFETY: the program's own address, at which it made an atomic of this width.
    atomic(at as u64, WIDTH, order, pc(), || (unsafe { replace(at, becomes) }, Did::Both))
}

/// Returns what was there.
fn update_if(at: *mut u128, expected: u128, value: u128, order: Ordered) -> u128 {
    let mut seen = expected;
    exchange(at as u64, WIDTH, order, pc(), || {
        // SAFETY: as above.
        seen = unsafe { compare_exchange(at, expected, value) };
        seen == expected
    });
    seen
}

/// The same, where what was expected is in memory and what was there is put there.
///
/// # Safety
/// `expected` is the program's own.
unsafe fn update_if_at(at: *mut u128, expected: *mut u128, value: u128, order: Ordered) -> c_int {
    // SAFETY: as the caller says.
    let (wanted, seen) = unsafe { (*expected, update_if(at, *expected, value, order)) };
    if seen != wanted {
        // SAFETY: as the caller says.
        unsafe { *expected = seen };
    }
    c_int::from(seen == wanted)
}

// SAFETY (all rows): the program's own addresses.
entries! {
    __tsan_ fn atomic128_load(at: *mut u128, order: c_int) -> u128 {
        atomic(at as u64, WIDTH, order, pc(), || (unsafe { compare_exchange(at, 0, 0) }, Did::Load))
    }
    __tsan_ fn atomic128_store(at: *mut u128, value: u128, order: c_int) {
        atomic(at as u64, WIDTH, order, pc(), || (unsafe { replace(at, |_| value) }, Did::Store));
    }
    __tsan_ fn atomic128_exchange(at: *mut u128, value: u128, order: c_int) -> u128 { update(at, order, |_| value) }
    __tsan_ fn atomic128_fetch_add(at: *mut u128, value: u128, order: c_int) -> u128 {
        update(at, order, |old| old.wrapping_add(value))
    }
    __tsan_ fn atomic128_fetch_sub(at: *mut u128, value: u128, order: c_int) -> u128 {
        update(at, order, |old| old.wrapping_sub(value))
    }
    __tsan_ fn atomic128_fetch_and(at: *mut u128, value: u128, order: c_int) -> u128 { update(at, order, |old| old & value) }
    __tsan_ fn atomic128_fetch_or(at: *mut u128, value: u128, order: c_int) -> u128 { update(at, order, |old| old | value) }
    __tsan_ fn atomic128_fetch_xor(at: *mut u128, value: u128, order: c_int) -> u128 { update(at, order, |old| old ^ value) }
    __tsan_ fn atomic128_fetch_nand(at: *mut u128, value: u128, order: c_int) -> u128 { update(at, order, |old| !(old & value)) }
    __tsan_ fn atomic128_compare_exchange_strong(at: *mut u128, expected: *mut u128, value: u128, order: c_int, failed: c_int) -> c_int {
        unsafe { update_if_at(at, expected, value, Ordered { whole: order, load: failed }) }
    }
    __tsan_ fn atomic128_compare_exchange_weak(at: *mut u128, expected: *mut u128, value: u128, order: c_int, failed: c_int) -> c_int {
        unsafe { update_if_at(at, expected, value, Ordered { whole: order, load: failed }) }
    }
    __tsan_ fn atomic128_compare_exchange_val(at: *mut u128, expected: u128, value: u128, order: c_int, failed: c_int) -> u128 {
        update_if(at, expected, value, Ordered { whole: order, load: failed })
    }
}
