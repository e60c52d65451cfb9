//! `omp flush`, which clang leaves to the runtime: a fence that acquires and releases. gcc makes one of the processor's of it.

use crate::real::Real;
use crate::tsan::atomics::thread_fence;
use std::ffi::c_void;

#[unsafe(no_mangle)]
unsafe extern "C" fn __kmpc_flush(at: *mut c_void) {
    static REAL: Real = Real::new(b"__kmpc_flush\0");
    let address = REAL.get();
    if address != 0 {
        // SAFETY: the runtime's function of this name has this type, and gets the program's own argument.
        unsafe { std::mem::transmute::<usize, unsafe extern "C" fn(*mut c_void)>(address)(at) };
    }
    thread_fence(true, true);
}
