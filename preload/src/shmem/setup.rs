//! Init and finalize, and the symmetric heap. Allocation and release are collective: they hold a global barrier.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use crate::last::inside;
use crate::rank::{Ending, Told, begin, complain, connect, file, finish, told};
use crate::shmem::call::{Call, call, calls};
use crate::shmem::{library, words};
use crate::uncounted;
use std::ffi::{c_int, c_long, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use thrille_model::job::{ENV_HUB, ENV_RANK, ENV_RUN_DIR};
use thrille_model::{Ctx, Rank, Segment};
use thrille_runtime::{Region, Regions};

static BEGUN: AtomicBool = AtomicBool::new(false);

fn regions(size: u32) -> Regions {
    let mut all = Vec::new();
    for pe in 0..size {
        for (number, segment) in [(0, Segment::Heap), (1, Segment::Statics)] {
            if let Some((start, len)) = library::range(number, pe) {
                all.push(Region { start, end: start + len, owner: Rank(pe), segment, offset: 0 });
            }
        }
    }
    Regions::new(all)
}

/// The library is initialised: observation begins.
fn initialised() {
    let Some(told) = told() else {
        let (wanted, hub) = (std::env::var_os(ENV_RUN_DIR), std::env::var_os(ENV_HUB));
        let rank = std::env::var(ENV_RANK).ok().and_then(|rank| rank.parse().ok()).unwrap_or(0);
        if wanted.is_some() && hub.is_none() && rank == 0 {
            complain(rank, "not observed: OpenSHMEM programs are started by thrille itself: thrille run -n N PROGRAM");
        }
        return;
    };
    if BEGUN.swap(true, Ordering::AcqRel) {
        return;
    }
    crate::rank::unobserved(|| start(&told));
}

fn start(told: &Told) {
    if !library::meet() {
        complain(
            told.rank,
            "not observed: it cannot be made out where this OpenSHMEM library has its symmetric memory",
        );
        return;
    }
    let Some(mut transport) = connect(told) else { return };
    let (heap, statics) = library::lengths();
    if !words::make(told, &mut transport, heap, statics.next_multiple_of(8)) {
        complain(
            told.rank,
            "not observed: the ranks could not share their synchronisation counters; run all of them on one machine",
        );
        return;
    }
    if let Some(sink) = file(told) {
        thrille_runtime::stores::count_by(words::STORES);
        begin(told, transport, sink, regions(told.size));
    }
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
        uncounted::next_round();
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
            library::assemble();
            call.leave_barrier();
        }
        finish(Ending::Regular);
        unsafe { pshmem_finalize() };
    }
    fn global_exit(status: c_int) {
        // The library ends the job first and then calls back for the last exchange: the others must not wait in a barrier for it.
        library::ending();
        unsafe { pshmem_global_exit(status) };
    }
    fn malloc(size: usize) -> *mut c_void {
        collective(size > 0, |call| {
            let at = inside(|| unsafe { pshmem_malloc(size) });
            allocated(call, at, size);
            at
        })
    }
    fn malloc_with_hints(size: usize, hints: c_long) -> *mut c_void {
        collective(size > 0, |call| {
            let at = inside(|| unsafe { pshmem_malloc_with_hints(size, hints) });
            allocated(call, at, size);
            at
        })
    }
    fn calloc(count: usize, size: usize) -> *mut c_void {
        collective(count > 0 && size > 0, |call| {
            let at = inside(|| unsafe { pshmem_calloc(count, size) });
            allocated(call, at, count.saturating_mul(size));
            at
        })
    }
    fn align(alignment: usize, size: usize) -> *mut c_void {
        collective(size > 0 && alignment.is_power_of_two(), |call| {
            let at = inside(|| unsafe { pshmem_align(alignment, size) });
            allocated(call, at, size);
            at
        })
    }
    fn realloc(ptr: *mut c_void, size: usize) -> *mut c_void {
        collective(size > 0 || !ptr.is_null(), |call| {
            let at = inside(|| unsafe { pshmem_realloc(ptr, size) });
            allocated(call, at, size);
            at
        })
    }
    fn free(ptr: *mut c_void) {
        collective(!ptr.is_null(), |_| inside(|| unsafe { pshmem_free(ptr) }));
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
