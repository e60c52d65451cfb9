//! Setup, exit and query: `shmem_init` to `shmem_finalize`.

use std::ffi::{c_char, c_int, c_void};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, Ordering};

use thrille_launch::PeState;

use crate::fail::{end_job, fail_args};
use crate::state::{state, try_state};
use crate::statics::Statics;
use crate::{state, sync, team};

const THREAD_SINGLE: c_int = 0;
const THREAD_MULTIPLE: c_int = 3;
const MAJOR: c_int = 1;
const MINOR: c_int = 5;
/// Keep equal to `SHMEM_VENDOR_STRING` of `shmem.h`.
const NAME: &[u8] = b"PGAS-Thrille embedded OpenSHMEM\0";

/// Thread support level that was provided.
static THREADS: AtomicI32 = AtomicI32::new(THREAD_SINGLE);
/// Serialises the first initialisation.
static INIT: Mutex<()> = Mutex::new(());

fn init(call: &'static str, threads: c_int) {
    let _guard = INIT.lock();
    if try_state().is_some() {
        return;
    }
    THREADS.store(threads, Ordering::Relaxed);
    let attached = thrille_launch::attach().unwrap_or_else(|e| fail_args(call, format_args!("{e}")));
    let state =
        state::set(attached, &Statics::of_executable()).unwrap_or_else(|e| fail_args(call, format_args!("{e}")));
    state.control.set_pid(state.me, std::process::id());
    state.control.set_state(state.me, PeState::Running);
    team::set_predefined(state);
    sync::world(call);
}

fn finalize(call: &'static str) {
    let state = state(call);
    if state.control.state(state.me) == PeState::Running {
        sync::barrier_world(call);
        state.control.set_state(state.me, PeState::Finalized);
    }
}

fn copy_name(name: *mut c_char) {
    // SAFETY: the caller gives room for SHMEM_MAX_NAME_LEN bytes, more than the name has.
    unsafe { std::ptr::copy_nonoverlapping(NAME.as_ptr(), name.cast(), NAME.len()) };
}

export! {
    fn init() {
        init(CALL, THREAD_SINGLE);
    }
    fn init_thread(requested: c_int, provided: *mut c_int) -> c_int {
        let threads = requested.clamp(THREAD_SINGLE, THREAD_MULTIPLE);
        init(CALL, threads);
        if !provided.is_null() {
            // SAFETY: the caller's variable.
            unsafe { provided.write(THREADS.load(Ordering::Relaxed)) };
        }
        c_int::from(requested != threads)
    }
    fn query_thread(provided: *mut c_int) {
        // SAFETY: the caller's variable.
        unsafe { provided.write(THREADS.load(Ordering::Relaxed)) };
    }
    fn finalize() {
        finalize(CALL);
    }
    fn global_exit(status: c_int) {
        state(CALL);
        end_job(status)
    }
    fn my_pe() -> c_int {
        state(CALL).me as c_int
    }
    fn n_pes() -> c_int {
        state(CALL).npes as c_int
    }
    fn info_get_version(major: *mut c_int, minor: *mut c_int) {
        // SAFETY: the caller's variables.
        unsafe {
            major.write(MAJOR);
            minor.write(MINOR);
        }
    }
    fn info_get_name(name: *mut c_char) {
        copy_name(name);
    }
    fn pe_accessible(pe: c_int) -> c_int {
        c_int::from((pe as usize) < state(CALL).npes)
    }
    fn addr_accessible(addr: *const c_void, pe: c_int) -> c_int {
        let state = state(CALL);
        c_int::from((pe as usize) < state.npes && state.translate(addr, 1, pe as usize).is_some())
    }
    fn ptr(dest: *const c_void, pe: c_int) -> *mut c_void {
        let state = state(CALL);
        if pe as usize >= state.npes {
            return std::ptr::null_mut();
        }
        state.translate(dest, 1, pe as usize).map_or(std::ptr::null_mut(), <*mut u8>::cast)
    }
    fn pcontrol(_level: c_int) {}
    fn clear_cache_inv() {}
    fn set_cache_inv() {}
    fn clear_cache_line_inv(_dest: *mut c_void) {}
    fn set_cache_line_inv(_dest: *mut c_void) {}
    fn udcflush() {}
    fn udcflush_line(_dest: *mut c_void) {}
}

// The names from before the prefix.
export_old! {
    fn start_pes = pstart_pes(_npes: c_int) {
        init("start_pes", THREAD_SINGLE);
    }
    fn _my_pe = p_my_pe() -> c_int {
        state("_my_pe").me as c_int
    }
    fn _num_pes = p_num_pes() -> c_int {
        state("_num_pes").npes as c_int
    }
}
