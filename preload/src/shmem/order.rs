//! Fence, quiet, barriers, locks and the end of contexts.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use crate::shmem::call::{Call, Handle, call, calls, ctx_id};
use crate::shmem::library::{ctx_gone, team};
use crate::shmem::words;
use rustc_hash::FxHashMap;
use std::ffi::{c_int, c_long};
use std::sync::{Mutex, PoisonError};
use thrille_model::{Ctx, Lock, Rank, Token};

/// A set of PEs that a collective is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// All of them: a collective of all with all is a global barrier.
    World,
    /// Some of them, by a number that all members agree on.
    Some(u64),
}

/// The number of the world's team.
const WORLD: u64 = 1;

impl Group {
    /// A team.
    pub fn team(handle: Handle) -> Option<Self> {
        match team(handle) {
            (0, _) => None,
            (WORLD, _) => Some(Self::World),
            (id, _) => Some(Self::Some(id)),
        }
    }

    /// An active set.
    pub fn active_set(start: c_int, log_stride: c_int, size: c_int) -> Self {
        let world = crate::rank::told().map_or(0, |t| t.size);
        if start == 0 && log_stride == 0 && size as u32 == world {
            return Self::World;
        }
        let part = |n: c_int, shift: u32| u64::from(n as u32 & 0xf_ffff) << shift;
        Self::Some(1 << 63 | part(start, 0) | part(log_stride, 20) | part(size, 40))
    }
}

/// How many collectives each group has had.
static COLLECTIVES: Mutex<Option<FxHashMap<u64, u64>>> = Mutex::new(None);

/// The token of a group's next collective.
fn token(group: u64) -> Token {
    let mut counts = COLLECTIVES.lock().unwrap_or_else(PoisonError::into_inner);
    let seq = counts.get_or_insert_default().entry(group).or_default();
    *seq += 1;
    Token::Collective { group, seq: *seq }
}

/// What a PE does in a collective: what it did before comes before what some do after.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// All to all.
    Member,
    /// One to all the others.
    Root,
    /// One of all the others.
    Leaf,
}

/// A collective: `touch` tells of the buffers, which are in use until this PE returns.
pub fn collective<R>(group: Option<Group>, role: Role, touch: &dyn Fn(&mut Call), real: &dyn Fn() -> R) -> R {
    let (Some(mut call), Some(group)) = (call(), group) else { return real() };
    let token = match (group, role) {
        (Group::World, Role::Member) => None,
        (Group::World, _) => Some(token(WORLD)),
        (Group::Some(id), _) => Some(token(id)),
    };
    match token {
        None => call.enter_barrier(),
        Some(token) if role != Role::Leaf => call.release(token),
        Some(_) => call.issue(),
    }
    touch(&mut call);
    let result = real();
    match token {
        None => call.leave_barrier(),
        Some(token) if role != Role::Root => call.acquire(token),
        Some(_) => {}
    }
    result
}

/// A barrier completes the default context; a sync completes nothing.
fn barrier<R>(group: Option<Group>, real: &dyn Fn() -> R) -> R {
    if let Some(mut call) = call() {
        call.quiet(Ctx(0));
    }
    collective(group, Role::Member, &|_| (), real)
}

fn quiet(ctx: Ctx, real: &dyn Fn()) {
    let mut call = call();
    if let Some(call) = &mut call {
        call.completing(ctx);
    }
    real();
    if let Some(mut call) = call {
        call.quiet(ctx);
    }
}

fn fence(ctx: Ctx, real: &dyn Fn()) {
    let call = call();
    real();
    if let Some(mut call) = call {
        call.fence(ctx);
    }
}

fn named(call: &mut Call, lock: *const c_long) -> Option<Lock> {
    call.symmetric(lock.cast()).map(|(segment, offset)| Lock::Symmetric(segment, offset))
}

fn taken(call: Option<Call>, lock: *const c_long) {
    let Some(mut call) = call else { return };
    if let Some((segment, offset)) = call.symmetric(lock.cast()) {
        // Counted at PE 0's copy, by whoever holds the lock.
        let number = words::lock(words::word(Rank(0), segment, offset)).map_or(0, |mut counted| counted.update());
        let lock = Lock::Symmetric(segment, offset);
        call.o.session.rank().lock_section(call.o.recorder, lock, number);
    }
}

// SAFETY (all rows): each body forwards the program's own arguments.
calls! {
    fn fence() {
        fence(Ctx(0), &|| unsafe { pshmem_fence() });
    }
    fn ctx_fence(ctx: Handle) {
        fence(ctx_id(ctx), &|| unsafe { pshmem_ctx_fence(ctx) });
    }
    fn quiet() {
        quiet(Ctx(0), &|| unsafe { pshmem_quiet() });
    }
    fn ctx_quiet(ctx: Handle) {
        quiet(ctx_id(ctx), &|| unsafe { pshmem_ctx_quiet(ctx) });
    }
    fn ctx_destroy(ctx: Handle) {
        // Destroying a context completes it.
        quiet(ctx_id(ctx), &|| unsafe { pshmem_ctx_destroy(ctx) });
        ctx_gone(ctx);
    }
    fn barrier_all() {
        barrier(Some(Group::World), &|| unsafe { pshmem_barrier_all() });
    }
    fn barrier(start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
        barrier(Some(Group::active_set(start, log_stride, size)), &|| unsafe { pshmem_barrier(start, log_stride, size, psync) });
    }
    fn sync_all() {
        collective(Some(Group::World), Role::Member, &|_| (), &|| unsafe { pshmem_sync_all() });
    }
    fn sync(start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
        let group = Group::active_set(start, log_stride, size);
        collective(Some(group), Role::Member, &|_| (), &|| unsafe { pshmem_sync(start, log_stride, size, psync) });
    }
    fn team_sync(team: Handle) -> c_int {
        collective(Group::team(team), Role::Member, &|_| (), &|| unsafe { pshmem_team_sync(team) })
    }
    fn set_lock(lock: *mut c_long) {
        let call = call();
        unsafe { pshmem_set_lock(lock) };
        taken(call, lock);
    }
    fn test_lock(lock: *mut c_long) -> c_int {
        let call = call();
        let busy = unsafe { pshmem_test_lock(lock) };
        taken(call.filter(|_| busy == 0), lock);
        busy
    }
    fn clear_lock(lock: *mut c_long) {
        let mut call = call();
        if let Some(call) = &mut call {
            // What was stored while the lock was held is complete when it is released.
            call.quiet(Ctx(0));
            if let Some(lock) = named(call, lock) {
                call.o.session.rank().unlock(call.o.recorder, lock);
            }
        }
        unsafe { pshmem_clear_lock(lock) };
    }
}
