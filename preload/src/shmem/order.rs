//! Fence, quiet, barriers, locks and the end of contexts.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the rows of a table share the comment above it")]

use crate::confirm;
use crate::last::inside;
use crate::rank::unobserved;
use crate::shmem::call::{Call, Handle, call, calls, ctx_id, operations};
use crate::shmem::library::{self, ctx_gone};
use crate::shmem::members::{Group, Members, WORLD};
use crate::shmem::words::{self, Change};
use crate::{sampled, uncounted};
use rustc_hash::FxHashMap;
use std::ffi::{c_int, c_long, c_void};
use std::sync::{Mutex, PoisonError};
use thrille_model::{Ctx, How, Lock, Rank, Token};
use thrille_runtime::Made;

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

/// What a collective uses.
pub struct Uses<'a> {
    /// Buffers of this PE, until it returns.
    pub own: &'a dyn Fn(&mut Call),
    /// What of the others it writes as soon as it is called: they may not have come to the call yet.
    pub others: Option<&'a dyn Fn(&mut Call)>,
    /// The rest of its buffers, of which it is known when it is done how large they are.
    pub then: &'a dyn Fn(&mut Call),
}

impl Uses<'_> {
    /// Nothing.
    pub const NOTHING: Uses<'static> = Uses { own: &|_| (), others: None, then: &|_| () };
}

/// A collective.
pub fn collective<R>(group: Option<Group>, role: Role, uses: &Uses, real: &dyn Fn() -> R) -> R {
    let (Some(mut call), Some(group)) = (call(), group) else { return real() };
    if let (Some(others), true) = (uses.others, role != Role::Leaf) {
        call.issue();
        others(&mut call);
    }
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
    (uses.own)(&mut call);
    let result = inside(real);
    (uses.then)(&mut call);
    match token {
        None => call.leave_barrier(),
        Some(token) if role != Role::Root => call.acquire(token),
        Some(_) => {}
    }
    result
}

/// A barrier completes the default context; a sync completes nothing.
fn barrier<R>(group: Option<Group>, uses: &Uses, real: &dyn Fn() -> R) -> R {
    if let Some(mut call) = call() {
        call.quiet(Ctx(0));
    }
    let result = collective(group, Role::Member, uses, real);
    if matches!(group, Some(Group::World)) {
        uncounted::next_round();
    }
    result
}

fn quiet(ctx: Ctx, real: &dyn Fn()) {
    let mut call = call();
    if let Some(call) = &mut call {
        call.completing(ctx);
    }
    inside(real);
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
    if uncounted::takes_lock(lock as usize) {
        return;
    }
    if let Some((segment, offset)) = call.symmetric(lock.cast()) {
        sampled::counts_section();
        // Counted at PE 0's copy, by whoever holds the lock.
        let part = words::parts(Rank(0), segment, offset, size_of::<c_long>() as u64).next();
        let number = part.and_then(words::lock).map_or(0, |mut locked| locked.write(How::Set, Change::Some).1.version);
        // Nobody can share it.
        let taken = Made { version: number, unseen_before: true };
        let lock = Lock::Symmetric(segment, offset);
        call.o.session.rank().lock_section(call.o.recorder, lock, taken);
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
    fn ptr(dest: *const c_void, pe: c_int) -> *mut c_void {
        let there = unsafe { pshmem_ptr(dest, pe) };
        if !there.is_null() {
            confirm::stores_to(Rank(pe.unsigned_abs()));
        }
        there
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
    fn team_destroy(team: Handle) {
        // So does destroying its team, of those that are not one thread's own.
        let mut call = call();
        for ctx in library::contexts_of(team) {
            if let Some(call) = &mut call {
                call.quiet(ctx);
            }
        }
        inside(|| unsafe { pshmem_team_destroy(team) });
    }
    fn barrier_all() {
        barrier(Some(Group::World), &Uses::NOTHING, &|| unsafe { pshmem_barrier_all() });
    }
    fn barrier(start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
        let set = Members::active_set(start, log_stride, size, psync);
        let flags = |call: &mut Call| set.flags(call);
        barrier(set.group, &Uses { others: Some(&flags), ..Uses::NOTHING }, &|| unsafe { pshmem_barrier(start, log_stride, size, psync) });
    }
    fn sync_all() {
        collective(Some(Group::World), Role::Member, &Uses::NOTHING, &|| unsafe { pshmem_sync_all() });
    }
    fn sync(start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
        let set = Members::active_set(start, log_stride, size, psync);
        let flags = |call: &mut Call| set.flags(call);
        collective(set.group, Role::Member, &Uses { others: Some(&flags), ..Uses::NOTHING }, &|| unsafe { pshmem_sync(start, log_stride, size, psync) });
    }
    fn team_sync(team: Handle) -> c_int {
        collective(Group::team(team), Role::Member, &Uses::NOTHING, &|| unsafe { pshmem_team_sync(team) })
    }
}

// Who is no strand holds no lock that anybody was told of, nor one from a dark round: its calls go on at once.
// SAFETY (all rows): as above.
operations! {
    fn set_lock(lock: *mut c_long) {
        let call = call();
        inside(|| unsafe { pshmem_set_lock(lock) });
        taken(call, lock);
    }
    fn test_lock(lock: *mut c_long) -> c_int {
        let call = call();
        let busy = unsafe { pshmem_test_lock(lock) };
        taken(call.filter(|_| busy == 0), lock);
        busy
    }
    fn clear_lock(lock: *mut c_long) {
        if uncounted::gives_back_lock(lock as usize) {
            return unobserved(|| unsafe { pshmem_clear_lock(lock) });
        }
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
