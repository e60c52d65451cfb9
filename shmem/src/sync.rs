//! Barriers, syncs, fence and quiet; the set of PEs that a collective runs over.
//!
//! A [`Group`] is a team or an active set. A team has words of its own in the control area: a counter and a generation, on
//! which members sleep. An active set has only the program's `pSync`, whose values must be what they were afterwards:
//!
//! | word of `pSync` | where | meaning |
//! |---|---|---|
//! | 0 | first member | members that have arrived; the first member sets it back, then releases the others |
//! | 1 | every other member | 1 when released; the member sets it back |
//! | 2 | every member | mail |

use std::ffi::{c_int, c_long};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

use thrille_launch::futex;

use crate::ctx::{self, Ctx};
use crate::fail::fail_args;
use crate::state::{State, state};
use crate::team::{self, Team};
use crate::wait::until_changes;

/// PEs that do something together.
pub trait Group {
    fn state(&self) -> &'static State;
    /// Members.
    fn size(&self) -> usize;
    /// Number of the calling PE among them.
    fn me(&self) -> usize;
    /// The PE of the job that member `member` is.
    fn world(&self, member: usize) -> usize;
    /// Returns when all have called it.
    fn sync(&self, call: &'static str);
    /// Leaves a value for the others; to be read after a [`Self::sync`], and overwritten only after another.
    fn post(&self, value: u64);
    /// The value that `member` left.
    fn posted(&self, member: usize) -> u64;
}

impl Group for Team {
    fn state(&self) -> &'static State {
        self.state
    }

    fn size(&self) -> usize {
        self.size
    }

    fn me(&self) -> usize {
        self.me
    }

    fn world(&self, member: usize) -> usize {
        (self.start + member as isize * self.stride) as usize
    }

    fn sync(&self, call: &'static str) {
        fence(Ordering::SeqCst);
        if self.size == 1 {
            return;
        }
        let slot = self.state.control.slot(self.slot);
        let generation = slot.generation().load(Ordering::Acquire);
        if slot.count().fetch_add(1, Ordering::AcqRel) + 1 == self.size as u32 {
            slot.count().store(0, Ordering::Relaxed);
            slot.generation().fetch_add(1, Ordering::Release);
            futex::wake_all(slot.generation());
        } else {
            until_changes(call, self.state, slot.generation(), generation, &(0..self.size).map(|m| self.world(m)));
        }
        fence(Ordering::SeqCst);
    }

    fn post(&self, value: u64) {
        self.state.control.slot(self.slot).mail(self.me).store(value, Ordering::Release);
    }

    fn posted(&self, member: usize) -> u64 {
        self.state.control.slot(self.slot).mail(member).load(Ordering::Acquire)
    }
}

/// The PEs `start + i * 2^log_stride`, for `i` below `size`, and their work array.
pub struct ActiveSet {
    state: &'static State,
    start: usize,
    stride: usize,
    size: usize,
    me: usize,
    psync: *mut c_long,
}

impl ActiveSet {
    /// Checks what the program passed.
    pub fn new(call: &'static str, start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) -> Self {
        let state = state(call);
        let last = |stride: i64| i64::from(start) + (i64::from(size) - 1) * stride;
        if start < 0 || !(0..31).contains(&log_stride) || size < 1 || last(1 << log_stride) >= state.npes as i64 {
            fail_args(
                call,
                format_args!(
                    "arguments PE_start = {start}, logPE_stride = {log_stride}, PE_size = {size} are not a set of PEs of this job; \
                     the last one, PE_start + (PE_size - 1) * 2^logPE_stride, must be below {}",
                    state.npes
                ),
            )
        }
        let (start, stride, size) = (start as usize, 1 << log_stride, size as usize);
        let from = state.me.wrapping_sub(start);
        if from % stride != 0 || from / stride >= size {
            fail_args(
                call,
                format_args!(
                    "was called by a PE outside the active set (start {start}, stride {stride}, size {size}); call it on members only"
                ),
            )
        }
        let set = Self { state, start, stride, size, me: from / stride, psync };
        state.remote(call, "pSync", psync.cast(), 3 * size_of::<c_long>(), state.me);
        if !psync.is_aligned() {
            fail_args(call, format_args!("argument pSync = {psync:p} is not aligned; use an array of long"))
        }
        if set.word(1, set.me).load(Ordering::Acquire) != 0 {
            fail_args(
                call,
                format_args!(
                    "argument pSync = {psync:p} does not hold SHMEM_SYNC_VALUE, or another call still uses it; initialise it once, and synchronise before reuse"
                ),
            )
        }
        set
    }

    fn at(&self, index: usize, member: usize) -> *mut u8 {
        let addr = self.psync.wrapping_add(index);
        // The whole work array was checked when the set was made.
        self.state.remote("pSync", "pSync", addr.cast(), size_of::<c_long>(), self.world(member))
    }

    /// The lower half of a word of a member's `pSync`.
    fn word(&self, index: usize, member: usize) -> &AtomicU32 {
        // SAFETY: mapped for the life of the process, and `new` checked that the work array is aligned.
        unsafe { &*self.at(index, member).cast::<AtomicU32>() }
    }

    fn mail(&self, member: usize) -> &AtomicU64 {
        // SAFETY: as above.
        unsafe { &*self.at(2, member).cast::<AtomicU64>() }
    }
}

impl Group for ActiveSet {
    fn state(&self) -> &'static State {
        self.state
    }

    fn size(&self) -> usize {
        self.size
    }

    fn me(&self) -> usize {
        self.me
    }

    fn world(&self, member: usize) -> usize {
        self.start + member * self.stride
    }

    fn sync(&self, call: &'static str) {
        fence(Ordering::SeqCst);
        let others = self.size as u32 - 1;
        if others == 0 {
            return;
        }
        let arrived = self.word(0, 0);
        if self.me == 0 {
            let members = (0..self.size).map(|m| self.world(m));
            loop {
                let seen = arrived.load(Ordering::Acquire);
                if seen == others {
                    break;
                }
                until_changes(call, self.state, arrived, seen, &members);
            }
            arrived.store(0, Ordering::Relaxed);
            for member in 1..self.size {
                let released = self.word(1, member);
                released.store(1, Ordering::Release);
                futex::wake_all(released);
            }
        } else {
            let released = self.word(1, self.me);
            if arrived.fetch_add(1, Ordering::AcqRel) + 1 == others {
                futex::wake_all(arrived);
            }
            // Only the first member releases; others, already released, may have ended.
            let first = std::iter::once(self.world(0));
            while released.load(Ordering::Acquire) == 0 {
                until_changes(call, self.state, released, 0, &first);
            }
            released.store(0, Ordering::Release);
        }
        fence(Ordering::SeqCst);
    }

    fn post(&self, value: u64) {
        self.mail(self.me).store(value, Ordering::Release);
    }

    fn posted(&self, member: usize) -> u64 {
        self.mail(member).load(Ordering::Acquire)
    }
}

/// Synchronises all PEs.
pub fn world(call: &'static str) {
    team::get(call, team::WORLD).sync(call);
}

/// Completes everything and synchronises all PEs.
pub fn barrier_world(call: &'static str) {
    quiet();
    world(call);
}

/// Everything issued is already on its way through the caches; this makes later reads wait for it.
fn quiet() {
    fence(Ordering::SeqCst);
}

export! {
    fn fence() {
        state(CALL);
        quiet();
    }
    fn ctx_fence(ctx: Ctx) {
        state(CALL);
        ctx::check(CALL, ctx);
        quiet();
    }
    fn quiet() {
        state(CALL);
        quiet();
    }
    fn ctx_quiet(ctx: Ctx) {
        state(CALL);
        ctx::check(CALL, ctx);
        quiet();
    }
    fn barrier_all() {
        barrier_world(CALL);
    }
    fn sync_all() {
        world(CALL);
    }
    fn barrier(start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
        quiet();
        ActiveSet::new(CALL, start, log_stride, size, psync).sync(CALL);
    }
    fn sync(start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
        ActiveSet::new(CALL, start, log_stride, size, psync).sync(CALL);
    }
    fn team_sync(team: team::Handle) -> c_int {
        team::get(CALL, team).sync(CALL);
        0
    }
}
