//! The symmetric heap.
//!
//! Allocation is collective with the same arguments everywhere, so every PE runs the same allocator on books of its own and
//! gets the same offsets: nothing is shared but a fingerprint of the arguments, which tells when a program breaks that rule.
//! First fit over an ordered map of free blocks, neighbours joined on free.

use std::collections::BTreeMap;
use std::ffi::{c_long, c_void};
use std::ptr::null_mut;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};

use thrille_launch::layout::HEAP_ALIGN;

use crate::fail::{fail, fail_args};
use crate::state::{State, state};
use crate::sync::barrier_world;

/// Blocks begin and end at cache lines.
const GRANULE: usize = 64;

/// Free and used blocks, offset to length.
struct Books {
    free: BTreeMap<usize, usize>,
    used: BTreeMap<usize, usize>,
    /// Collective calls so far.
    calls: u64,
    opened: bool,
}

static BOOKS: Mutex<Books> =
    Mutex::new(Books { free: BTreeMap::new(), used: BTreeMap::new(), calls: 0, opened: false });

fn books(state: &State) -> MutexGuard<'static, Books> {
    let mut books = BOOKS.lock().unwrap_or_else(PoisonError::into_inner);
    if !books.opened {
        books.opened = true;
        books.free.insert(0, state.heap().1);
    }
    books
}

impl Books {
    fn take(&mut self, size: usize, align: usize) -> Option<usize> {
        let size = size.checked_next_multiple_of(GRANULE)?;
        let (hole, len, start) = self.free.iter().find_map(|(&hole, &len)| {
            let start = hole.next_multiple_of(align.max(GRANULE));
            (start.checked_add(size)? <= hole + len).then_some((hole, len, start))
        })?;
        self.free.remove(&hole);
        if start > hole {
            self.free.insert(hole, start - hole);
        }
        if start + size < hole + len {
            self.free.insert(start + size, hole + len - start - size);
        }
        self.used.insert(start, size);
        Some(start)
    }

    fn give(&mut self, start: usize) -> bool {
        let Some(len) = self.used.remove(&start) else { return false };
        self.release(start, len);
        true
    }

    /// Makes a range free again and joins it with its neighbours.
    fn release(&mut self, mut start: usize, mut len: usize) {
        if let Some(after) = self.free.remove(&(start + len)) {
            len += after;
        }
        if let Some((&before, &before_len)) = self.free.range(..start).next_back()
            && before + before_len == start
        {
            self.free.remove(&before);
            start = before;
            len += before_len;
        }
        self.free.insert(start, len);
    }

    /// Makes a used block `size` long where it is; false when there is no room behind it.
    fn resize(&mut self, start: usize, size: usize) -> bool {
        let (Some(size), Some(&len)) = (size.checked_next_multiple_of(GRANULE), self.used.get(&start)) else {
            return false;
        };
        let behind = self.free.get(&(start + len)).copied().unwrap_or(0);
        if size > len + behind {
            return false;
        }
        self.free.remove(&(start + len));
        if len + behind > size {
            self.free.insert(start + size, len + behind - size);
        }
        self.used.insert(start, size);
        true
    }
}

/// A barrier in which all PEs also show that they made the same call.
fn agree(call: &'static str, state: &State, a: usize, b: usize) {
    let sequence = {
        let mut books = books(state);
        books.calls += 1;
        books.calls
    };
    let print = (a as u64 ^ (b as u64).rotate_left(40) ^ sequence << 56).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    // Two words a PE are enough: nobody is more than one barrier ahead.
    state.control.allocation(state.me, sequence).store(print, Ordering::Release);
    barrier_world(call);
    if state.control.allocation(0, sequence).load(Ordering::Acquire) != print {
        fail(
            call,
            "was called with other arguments than on PE 0; allocate and free symmetric memory with the same arguments, in the same order, on every PE",
        )
    }
}

fn allocate(call: &'static str, size: usize, align: usize, contents: Contents) -> *mut c_void {
    let state = state(call);
    if size == 0 || !align.is_power_of_two() || align > HEAP_ALIGN {
        return null_mut();
    }
    let block = books(state).take(size, align).map(|at| state.heap().0.wrapping_add(at));
    if let (Some(p), Contents::Zero) = (block, contents) {
        // SAFETY: the block was just allocated from this PE's heap, and no other PE uses it before the barrier below.
        unsafe { p.write_bytes(0, size) };
    }
    agree(call, state, size, align);
    block.map_or(null_mut(), <*mut u8>::cast)
}

#[derive(Clone, Copy)]
enum Contents {
    Any,
    Zero,
}

/// Offset of a block of this PE's heap; an address that is none ends the job.
fn offset(call: &'static str, state: &State, p: *mut c_void) -> usize {
    let at = p.addr().wrapping_sub(state.heap().0.addr());
    if !books(state).used.contains_key(&at) {
        fail_args(
            call,
            format_args!(
                "argument ptr = {p:p} is not a block of symmetric memory; pass what shmem_malloc returned, once"
            ),
        )
    }
    at
}

fn free(call: &'static str, p: *mut c_void) {
    let state = state(call);
    if p.is_null() {
        return;
    }
    let at = offset(call, state, p);
    agree(call, state, at, usize::MAX);
    books(state).give(at);
}

fn realloc(call: &'static str, p: *mut c_void, size: usize) -> *mut c_void {
    if p.is_null() {
        return allocate(call, size, GRANULE, Contents::Any);
    }
    if size == 0 {
        free(call, p);
        return null_mut();
    }
    let state = state(call);
    let at = offset(call, state, p);
    agree(call, state, at, size);
    let moved = {
        let mut books = books(state);
        let old = books.used.get(&at).copied().unwrap_or(0);
        if books.resize(at, size) { Some((at, 0)) } else { books.take(size, GRANULE).map(|new| (new, old)) }
    };
    let result = moved.map_or(null_mut(), |(new, old)| {
        let to = state.heap().0.wrapping_add(new);
        if old > 0 {
            // SAFETY: both are live blocks of this PE's heap, of at least `old` bytes (the new one is longer), disjoint.
            unsafe { std::ptr::copy_nonoverlapping(p.cast::<u8>(), to, old) };
            books(state).give(at);
        }
        to.cast()
    });
    barrier_world(call);
    result
}

export! {
    fn malloc(size: usize) -> *mut c_void {
        allocate(CALL, size, GRANULE, Contents::Any)
    }
    fn malloc_with_hints(size: usize, _hints: c_long) -> *mut c_void {
        allocate(CALL, size, GRANULE, Contents::Any)
    }
    fn calloc(count: usize, size: usize) -> *mut c_void {
        allocate(CALL, count.saturating_mul(size), GRANULE, Contents::Zero)
    }
    fn align(alignment: usize, size: usize) -> *mut c_void {
        allocate(CALL, size, alignment, Contents::Any)
    }
    fn realloc(ptr: *mut c_void, size: usize) -> *mut c_void {
        realloc(CALL, ptr, size)
    }
    fn free(ptr: *mut c_void) {
        free(CALL, ptr);
    }
}

// The names from before the prefix.
export_old! {
    fn shmalloc = pshmalloc(size: usize) -> *mut c_void {
        allocate("shmalloc", size, GRANULE, Contents::Any)
    }
    fn shmemalign = pshmemalign(alignment: usize, size: usize) -> *mut c_void {
        allocate("shmemalign", size, alignment, Contents::Any)
    }
    fn shrealloc = pshrealloc(ptr: *mut c_void, size: usize) -> *mut c_void {
        realloc("shrealloc", ptr, size)
    }
    fn shfree = pshfree(ptr: *mut c_void) {
        free("shfree", ptr);
    }
}
