//! Communication contexts. Every operation is complete when it returns, so a context is only a team to count PEs in, and an
//! identity for the detector. PE numbers of an operation on a context are those of the context's team.
//!
//! A handle is a number, not an address, so that a stale one is noticed: `identity << BITS | place`, identities from 1 and
//! never used again. Handle 0 is no context, 1 the default one.

use std::ffi::{c_int, c_long};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicUsize, Ordering};

use crate::fail::{fail, fail_args};
use crate::state::{State, state};
use crate::team::{self, Team};

/// `shmem_ctx_t`.
pub type Ctx = usize;

const INVALID: Ctx = 0;
const DEFAULT: Ctx = 1;
/// `SHMEM_CTX_PRIVATE` of `shmem.h`.
const PRIVATE: c_long = 1 << 1;
const BITS: u32 = 12;
const PLACES: usize = 1 << BITS;

/// A place for one context; `handle` is 0 when free, and written last.
struct Place {
    handle: AtomicUsize,
    team: AtomicUsize,
    start: AtomicI32,
    stride: AtomicI32,
    size: AtomicI32,
    /// It is its thread's alone, which destroys it.
    private: AtomicBool,
}

static PLACE: [Place; PLACES] = [const {
    Place {
        handle: AtomicUsize::new(INVALID),
        team: AtomicUsize::new(0),
        start: AtomicI32::new(0),
        stride: AtomicI32::new(0),
        size: AtomicI32::new(0),
        private: AtomicBool::new(false),
    }
}; PLACES];

static NEXT: AtomicU32 = AtomicU32::new(1);
/// Serialises creation.
static CREATE: Mutex<()> = Mutex::new(());

fn place(call: &'static str, ctx: Ctx) -> &'static Place {
    let place = &PLACE[ctx % PLACES];
    if ctx < PLACES || place.handle.load(Ordering::Acquire) != ctx {
        fail_args(
            call,
            format_args!(
                "argument ctx = {ctx:#x} is not a context; create it with shmem_ctx_create and do not use it after shmem_ctx_destroy"
            ),
        )
    }
    place
}

/// The PE of the job that `pe` is in the team of `ctx`.
#[inline]
pub fn target(call: &'static str, state: &State, ctx: Ctx, pe: c_int) -> usize {
    if ctx == DEFAULT {
        return state.pe(call, pe);
    }
    let place = place(call, ctx);
    let size = place.size.load(Ordering::Relaxed);
    if pe < 0 || pe >= size {
        fail_args(call, format_args!("argument pe = {pe} is not in the team of the context; use 0 to {}", size - 1))
    }
    (place.start.load(Ordering::Relaxed) + pe * place.stride.load(Ordering::Relaxed)) as usize
}

/// Complains unless `ctx` is a context, or none: fence and quiet have nothing to do then.
pub fn check(call: &'static str, ctx: Ctx) {
    if ctx != DEFAULT && ctx != INVALID {
        place(call, ctx);
    }
}

/// The detector's name of a context: 0 for the default one, otherwise unique within the PE. Nothing is issued on no context.
pub fn identity(ctx: Ctx) -> u32 {
    if ctx == INVALID { u32::MAX } else { (ctx >> BITS) as u32 }
}

/// The contexts of a team that go when it does.
pub fn shareable(team: team::Handle) -> impl Iterator<Item = Ctx> {
    let of_team = move |p: &&Place| p.team.load(Ordering::Relaxed) == team && !p.private.load(Ordering::Relaxed);
    let handle = |p: &Place| p.handle.load(Ordering::Acquire);
    PLACE.iter().filter(move |p| handle(p) != INVALID).filter(of_team).map(handle)
}

/// A context is gone.
pub fn gone(call: &'static str, ctx: Ctx) {
    place(call, ctx).handle.store(INVALID, Ordering::Release);
}

fn create(team: &Team, handle: team::Handle, options: c_long, ctx: *mut Ctx) -> c_int {
    let _guard = CREATE.lock();
    let Some((index, place)) = PLACE.iter().enumerate().find(|(_, p)| p.handle.load(Ordering::Relaxed) == INVALID)
    else {
        return 1;
    };
    place.team.store(handle, Ordering::Relaxed);
    place.start.store(team.start as i32, Ordering::Relaxed);
    place.stride.store(team.stride as i32, Ordering::Relaxed);
    place.size.store(team.size as i32, Ordering::Relaxed);
    place.private.store(options & PRIVATE != 0, Ordering::Relaxed);
    let new = (NEXT.fetch_add(1, Ordering::Relaxed) as usize) << BITS | index;
    place.handle.store(new, Ordering::Release);
    // SAFETY: the caller's variable.
    unsafe { ctx.write(new) };
    0
}

export! {
    fn ctx_create(options: c_long, ctx: *mut Ctx) -> c_int {
        state(CALL);
        create(&team::get(CALL, team::WORLD), team::WORLD, options, ctx)
    }
    fn team_create_ctx(team: team::Handle, options: c_long, ctx: *mut Ctx) -> c_int {
        state(CALL);
        if team == team::INVALID {
            return 1;
        }
        create(&team::get(CALL, team), team, options, ctx)
    }
    fn ctx_destroy(ctx: Ctx) {
        state(CALL);
        match ctx {
            INVALID => {}
            DEFAULT => fail(CALL, "argument ctx = SHMEM_CTX_DEFAULT cannot be destroyed; destroy only what shmem_ctx_create made"),
            _ => gone(CALL, ctx),
        }
    }
    fn ctx_get_team(ctx: Ctx, team: *mut team::Handle) -> c_int {
        state(CALL);
        let (handle, result) = match ctx {
            INVALID => (team::INVALID, 1),
            DEFAULT => (team::WORLD, 0),
            _ => (place(CALL, ctx).team.load(Ordering::Relaxed), 0),
        };
        // SAFETY: the caller's variable.
        unsafe { team.write(handle) };
        result
    }
}
