//! Init and finalize, and the symmetric heap. Allocation and release are collective: they hold a global barrier.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use crate::rank::{Ending, LEAVING, Told, begin, complain, connect, file, finish, on_abort, told};
use crate::shmem::call::{Call, call, calls};
use crate::shmem::words;
use std::ffi::{c_int, c_long, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use thrille_model::{Ctx, Rank, Segment};
use thrille_runtime::{Region, Regions};

unsafe extern "C" {
    fn thrille_shmem_range(segment: c_int, pe: c_int, base: *mut *mut c_void, len: *mut usize) -> c_int;
    fn thrille_shmem_on_abort(f: Option<extern "C" fn()>);
    fn thrille_shmem_leaving(status: c_int);
}

static BEGUN: AtomicBool = AtomicBool::new(false);

/// Where a PE's segment is in this process.
fn range(segment: c_int, pe: u32) -> Option<(u64, u64)> {
    let (mut base, mut len) = (std::ptr::null_mut(), 0);
    // SAFETY: asks the library, with variables of our own.
    let known = unsafe { thrille_shmem_range(segment, pe as c_int, &raw mut base, &raw mut len) };
    (known != 0).then_some((base as u64, len as u64))
}

fn regions(size: u32) -> Regions {
    let mut all = Vec::new();
    for pe in 0..size {
        for (number, segment) in [(0, Segment::Heap), (1, Segment::Statics)] {
            if let Some((start, len)) = range(number, pe) {
                all.push(Region { start, end: start + len, owner: Rank(pe), segment, offset: 0 });
            }
        }
    }
    Regions::new(all)
}

/// The library is initialised: observation begins.
fn initialised() {
    let Some(told) = told() else { return };
    if BEGUN.swap(true, Ordering::AcqRel) {
        return;
    }
    crate::rank::unobserved(|| start(&told));
}

fn start(told: &Told) {
    let Some(mut transport) = connect(told) else { return };
    let (heap, statics) = (range(0, 0).map_or(0, |r| r.1), range(1, 0).map_or(0, |r| r.1.next_multiple_of(8)));
    if !words::make(told, &mut transport, heap, statics) {
        complain(
            told.rank,
            "not observed: the ranks could not share their synchronisation counters; run all of them on one machine",
        );
        return;
    }
    if let Some(sink) = file(told) {
        begin(told, transport, sink, regions(told.size));
    }
    let _ = LEAVING.set(thrille_shmem_leaving);
    // SAFETY: registers a function that may be called once, at any time.
    unsafe { thrille_shmem_on_abort(Some(on_abort)) };
}

/// A collective call on the heap.
fn collective<R>(takes_part: bool, real: impl FnOnce(&mut Option<Call>) -> R) -> R {
    let mut call = call().filter(|_| takes_part);
    if let Some(call) = &mut call {
        // The barrier in it completes the default context.
        call.quiet(Ctx(0));
        call.enter_barrier();
    }
    let result = real(&mut call);
    if let Some(call) = &mut call {
        call.leave_barrier();
    }
    result
}

fn allocated(call: &mut Option<Call>, at: *mut c_void, size: usize) {
    if let Some(call) = call
        && let Some((Segment::Heap, offset)) = call.symmetric(at)
    {
        let pc = call.o.pc;
        call.o.session.allocated(Segment::Heap, offset, size as u64, pc);
        crate::sampled::shared_more();
    }
}

// SAFETY (all rows): each body forwards the program's own arguments.
calls! {
    fn init() {
        unsafe { pshmem_init() };
        initialised();
    }
    fn init_thread(requested: c_int, provided: *mut c_int) -> c_int {
        let result = unsafe { pshmem_init_thread(requested, provided) };
        initialised();
        result
    }
    fn finalize() {
        if let Some(mut call) = call() {
            call.quiet(Ctx(0));
            call.enter_barrier();
            call.leave_barrier();
        }
        finish(Ending::Regular);
        unsafe { pshmem_finalize() };
    }
    fn global_exit(status: c_int) {
        // The library ends the job first and then calls back for the last exchange: the others must not wait in a barrier for it.
        unsafe { pshmem_global_exit(status) };
    }
    fn malloc(size: usize) -> *mut c_void {
        collective(size > 0, |call| {
            let at = unsafe { pshmem_malloc(size) };
            allocated(call, at, size);
            at
        })
    }
    fn malloc_with_hints(size: usize, hints: c_long) -> *mut c_void {
        collective(size > 0, |call| {
            let at = unsafe { pshmem_malloc_with_hints(size, hints) };
            allocated(call, at, size);
            at
        })
    }
    fn calloc(count: usize, size: usize) -> *mut c_void {
        collective(count > 0 && size > 0, |call| {
            let at = unsafe { pshmem_calloc(count, size) };
            allocated(call, at, count.saturating_mul(size));
            at
        })
    }
    fn align(alignment: usize, size: usize) -> *mut c_void {
        collective(size > 0 && alignment.is_power_of_two(), |call| {
            let at = unsafe { pshmem_align(alignment, size) };
            allocated(call, at, size);
            at
        })
    }
    fn realloc(ptr: *mut c_void, size: usize) -> *mut c_void {
        collective(size > 0 || !ptr.is_null(), |call| {
            let at = unsafe { pshmem_realloc(ptr, size) };
            allocated(call, at, size);
            at
        })
    }
    fn free(ptr: *mut c_void) {
        collective(!ptr.is_null(), |_| unsafe { pshmem_free(ptr) });
    }
}

crate::entry::entries! {
    start_ fn pes(npes: c_int) {
        unsafe extern "C" {
            fn pstart_pes(npes: c_int);
        }
        unsafe { pstart_pes(npes) };
        initialised();
    }
}
