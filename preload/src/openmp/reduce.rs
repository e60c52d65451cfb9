//! clang's reductions: between `__kmpc_reduce` and its end a thread adds its part to the shared variable, under a lock that the runtime
//! tells nobody about. gcc's use `GOMP_atomic_start`, which it does tell about.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use super::strand::{aside, tell};
use crate::real::Real;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use thrille_model::{Lock, Mode};

thread_local! {
    /// The lock of the reduction that this thread is in.
    static REDUCES: Cell<u64> = const { Cell::new(0) };
}

fn begun(lock: *mut c_void) {
    let lock = lock as u64;
    REDUCES.set(lock);
    tell(|rank, recorder| rank.lock_local(recorder, Lock::Process(recorder.strand().rank, lock), Mode::Exclusive));
}

fn over() {
    let lock = REDUCES.replace(0);
    if lock != 0 {
        tell(|rank, recorder| rank.unlock(recorder, Lock::Process(recorder.strand().rank, lock)));
    }
}

macro_rules! reductions {
    ($($begin:ident $end:ident;)*) => { $(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $begin(at: *mut c_void, thread: c_int, count: c_int, len: usize, data: *mut c_void, combine: *mut c_void, lock: *mut c_void) -> c_int {
            static REAL: Real = Real::new(concat!(stringify!($begin), "\0").as_bytes());
            type Reduce = unsafe extern "C" fn(*mut c_void, c_int, c_int, usize, *mut c_void, *mut c_void, *mut c_void) -> c_int;
            let address = REAL.get();
            if address == 0 {
                return 0;
            }
            aside(true);
            let way = unsafe { std::mem::transmute::<usize, Reduce>(address)(at, thread, count, len, data, combine, lock) };
            aside(false);
            // 1: this thread, alone for now, adds to the shared variable; 2: by atomics; 0: somebody else has done so.
            if way == 1 {
                begun(lock);
            }
            way
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $end(at: *mut c_void, thread: c_int, lock: *mut c_void) {
            static REAL: Real = Real::new(concat!(stringify!($end), "\0").as_bytes());
            over();
            let address = REAL.get();
            if address != 0 {
                unsafe { std::mem::transmute::<usize, unsafe extern "C" fn(*mut c_void, c_int, *mut c_void)>(address)(at, thread, lock) };
            }
        }
    )* };
}

// SAFETY (all rows): forwards the program's own arguments to the runtime's function of this name and type.
reductions! {
    __kmpc_reduce __kmpc_end_reduce;
    __kmpc_reduce_nowait __kmpc_end_reduce_nowait;
}
