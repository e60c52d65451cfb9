//! Functions of the runtime by which a task gets at what its thread has for itself: its number, its copy of a variable.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use super::parallel;
use super::serial::{self, unfit};
use super::strand::bind;
use crate::real::Real;
use std::ffi::{c_int, c_void};

macro_rules! bound {
    ($before:expr; $(fn $name:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)?;)*) => { $(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($arg: $ty),*) $(-> $ret)? {
            static REAL: Real = Real::new(concat!(stringify!($name), "\0").as_bytes());
            type Function = unsafe extern "C" fn($($ty),*) $(-> $ret)?;
            $before();
            let address = REAL.get();
            if address == 0 {
                // SAFETY: a number or an address: no runtime, no thread but the first and no copy.
                return unsafe { std::mem::zeroed() };
            }
            unsafe { std::mem::transmute::<usize, Function>(address)($($arg),*) }
        }
    )* };
}

/// The task adds to its thread's copy of a variable. Where tasks are followed by themselves that is not understood: on one thread there is one copy for all.
fn reduces() {
    bind();
    if serial::on() || parallel::on() {
        unfit("it has reductions over tasks");
    }
}

// SAFETY (all rows): forwards the program's own arguments to the runtime's function of this name and type.
bound! {
    bind;
    fn omp_get_thread_num() -> c_int;
    fn omp_get_thread_num_() -> c_int;
    fn __kmpc_threadprivate_cached(at: *mut c_void, thread: c_int, data: *mut c_void, len: usize, cache: *mut c_void) -> *mut c_void;
}

// SAFETY (all rows): as above.
bound! {
    reduces;
    fn __kmpc_task_reduction_get_th_data(thread: c_int, group: *mut c_void, data: *mut c_void) -> *mut c_void;
    fn GOMP_task_reduction_remap(count: usize, shared: usize, copies: *mut *mut c_void);
}
