//! `taskloop` with a clause `if` that is false: each of its tasks is waited for before the next one is created. The runtime does not tell them from others.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use super::abi::Data;
use super::{parallel, serial};
use crate::real::Real;
use std::cell::Cell;

/// The loop that this thread is in the runtime for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    /// None, or one whose tasks may run beside what follows.
    Nothing,
    /// One that has created no task yet.
    Undeferred,
    /// One of the task of this word.
    UndeferredOf(usize),
}

thread_local! {
    static WITHIN: Cell<Within> = const { Cell::new(Within::Nothing) };
}

/// Whether a task that the one of this word creates now is one of such a loop. Others are created while the loop's tasks run, and have other creators.
pub fn is_undeferred(by: *const Data) -> bool {
    if WITHIN.get() == Within::Undeferred {
        WITHIN.set(Within::UndeferredOf(by as usize));
    }
    WITHIN.get() == Within::UndeferredOf(by as usize)
}

/// A bit of the flags of gcc's loops: the clause `if` is true, or not there.
const IF: usize = 1 << 10;
/// Another one: it has a clause `reduction`, for which the tasks use what their thread has for itself.
const REDUCTION: usize = 1 << 12;

macro_rules! loops {
    ($(fn $name:ident($($arg:ident),*), deferred if $deferred:expr, reduces if $reduces:expr;)*) => { $(
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments, reason = "as the compiler has it")]
        unsafe extern "C" fn $name($($arg: usize),*) {
            static REAL: Real = Real::new(concat!(stringify!($name), "\0").as_bytes());
            let address = REAL.get();
            if address == 0 {
                return;
            }
            if $reduces && (serial::on() || parallel::on()) {
                serial::unfit("it has reductions over tasks");
            }
            let outside = WITHIN.replace(if $deferred { Within::Nothing } else { Within::Undeferred });
            unsafe { std::mem::transmute::<usize, unsafe extern "C" fn($(loops!(@ $arg)),*)>(address)($($arg),*) };
            WITHIN.set(outside);
        }
    )* };
    (@ $arg:ident) => { usize };
}

// SAFETY (all rows): forwards the program's own arguments, numbers and addresses of at most a word each, to the runtime's function of this name.
loops! {
    fn __kmpc_taskloop(at, thread, task, condition, lower, upper, step, nogroup, schedule, size, copy), deferred if condition as i32 != 0, reduces if false;
    fn __kmpc_taskloop_5(at, thread, task, condition, lower, upper, step, nogroup, schedule, size, modifier, copy), deferred if condition as i32 != 0, reduces if false;
    fn GOMP_taskloop(body, data, copy, len, align, flags, tasks, priority, start, end, step), deferred if flags & IF != 0, reduces if flags & REDUCTION != 0;
    fn GOMP_taskloop_ull(body, data, copy, len, align, flags, tasks, priority, start, end, step), deferred if flags & IF != 0, reduces if flags & REDUCTION != 0;
}
