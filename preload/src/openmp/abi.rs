//! The few types of OMPT, the tools interface of OpenMP 5, that we need. It is a public ABI: `omp-tools.h` has all of it.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// A word of ours that the runtime keeps with a thread, a region or a task. The runtime copies it around: what counts is its value.
#[repr(C)]
pub struct Data {
    pub ptr: *mut c_void,
}

/// Where a task left the program for the runtime, and where it came back.
#[repr(C)]
pub struct Frame {
    pub exit: Data,
    pub enter: Data,
}

/// What `ompt_start_tool` hands over.
#[repr(C)]
pub struct StartTool {
    pub initialize: unsafe extern "C" fn(lookup: Lookup, device: c_int, tool: *mut Data) -> c_int,
    pub finalize: unsafe extern "C" fn(tool: *mut Data),
    pub tool: Data,
}

// SAFETY: two functions and a word that only the runtime touches.
unsafe impl Sync for StartTool {}

/// One clause of a `depend`, or one dimension of a `depend(source)` or `depend(sink)`.
#[repr(C)]
pub struct Dependence {
    pub variable: u64,
    pub kind: c_int,
}

pub type Lookup = unsafe extern "C" fn(name: *const c_char) -> *const c_void;
pub type SetCallback = unsafe extern "C" fn(event: c_int, callback: *const c_void) -> c_int;
pub type GetTaskMemory = unsafe extern "C" fn(at: *mut *mut c_void, len: *mut usize, block: c_int) -> c_int;
pub type GetTaskInfo = unsafe extern "C" fn(
    ancestor: c_int,
    flags: *mut c_int,
    task: *mut *mut Data,
    frame: *mut *mut Frame,
    region: *mut *mut Data,
    thread: *mut c_int,
) -> c_int;
pub type StartToolFn = unsafe extern "C" fn(version: c_uint, runtime: *const c_char) -> *const StartTool;

/// Numbers of events.
pub mod event {
    use std::ffi::c_int;
    pub const THREAD_BEGIN: c_int = 1;
    pub const PARALLEL_BEGIN: c_int = 3;
    pub const PARALLEL_END: c_int = 4;
    pub const TASK_CREATE: c_int = 5;
    pub const TASK_SCHEDULE: c_int = 6;
    pub const IMPLICIT_TASK: c_int = 7;
    pub const SYNC_REGION_WAIT: c_int = 16;
    pub const MUTEX_RELEASED: c_int = 17;
    pub const DEPENDENCES: c_int = 18;
    pub const WORK: c_int = 20;
    pub const SYNC_REGION: c_int = 23;
    pub const MUTEX_ACQUIRED: c_int = 27;
    pub const DISPATCH: c_int = 32;
}

/// Where in a region a callback comes.
pub mod scope {
    use std::ffi::c_int;
    pub const BEGIN: c_int = 1;
    pub const END: c_int = 2;
}

/// What threads wait in.
pub mod sync {
    use std::ffi::c_int;
    pub const TASKWAIT: c_int = 5;
    pub const TASKGROUP: c_int = 6;
    pub const REDUCTION: c_int = 7;
    /// Barriers that may be the one at the end of a parallel region: runtimes of before OpenMP 5.1 do not tell implicit barriers apart.
    pub const ENDS_REGION: [c_int; 3] = [1, 2, 9];
}

/// Flags of a task.
pub mod task {
    use std::ffi::c_int;
    pub const INITIAL: c_int = 1;
    /// Its creator waits for it; or its team is one thread.
    pub const UNDEFERRED: c_int = 0x0800_0000;
    pub const UNTIED: c_int = 0x1000_0000;
    pub const FINAL: c_int = 0x2000_0000;
}

/// Why a thread leaves a task.
pub mod status {
    use std::ffi::c_int;
    pub const COMPLETE: c_int = 1;
    pub const CANCEL: c_int = 3;
    pub const DETACH: c_int = 4;
    pub const EARLY_FULFILL: c_int = 5;
    pub const LATE_FULFILL: c_int = 6;
    pub const TASKWAIT_COMPLETE: c_int = 8;
}

/// Kinds of dependence.
pub mod dependence {
    use std::ffi::c_int;
    pub const IN: c_int = 1;
    pub const OUT: c_int = 2;
    pub const INOUT: c_int = 3;
    pub const MUTEX: c_int = 4;
    pub const SOURCE: c_int = 5;
    pub const SINK: c_int = 6;
    pub const SET: c_int = 7;
}

/// The mutex of an `ordered` region; all other kinds exclude, and do not order.
pub const ORDERED: c_int = 7;

/// What a thread is given of a loop.
pub const CHUNK: c_int = 3;

/// Kinds of worksharing that are loops.
pub const LOOPS: [c_int; 5] = [1, 10, 11, 12, 13];

/// A `single` construct, of the thread that executes it.
pub const SINGLE: c_int = 3;

/// A thread that the runtime made.
pub const WORKER: c_int = 2;
