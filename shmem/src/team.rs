//! Teams. The members of a team are `start + i * stride` in the job, so a team of a team is one again.
//!
//! The first member of a new team reserves its slot in the control area and tells the others by mail, through the slot of the
//! parent. Handles are numbers that are never used again, so that a stale one is noticed.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_long};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::ctx;
use crate::fail::{fail, fail_args};
use crate::state::{State, state};
use crate::sync::Group;

/// `shmem_team_t`.
pub type Handle = usize;

pub const INVALID: Handle = 0;
pub const WORLD: Handle = 1;
pub const SHARED: Handle = 2;
const FIRST: Handle = 16;

/// `SHMEM_TEAM_NUM_CONTEXTS` of `shmem.h`.
const NUM_CONTEXTS: c_long = 1;
/// What is in the mail before the first member of a new team has sent any, and what it sends when there is no slot left.
const NOT_YOURS: u64 = 0;
const NO_SLOT: u64 = u64::MAX;

/// `shmem_team_config_t`.
#[repr(C)]
pub struct Config {
    num_contexts: c_int,
}

/// A team that the calling PE is a member of.
pub struct Team {
    pub state: &'static State,
    /// Equal on all members, unique in the job.
    pub id: u64,
    pub start: isize,
    pub stride: isize,
    pub size: usize,
    /// Number of this PE in the team.
    pub me: usize,
    /// Its words in the control area.
    pub slot: usize,
    num_contexts: c_int,
    /// Splits so far: the same on all members, because splits are collective.
    splits: AtomicU64,
}

static TEAMS: RwLock<BTreeMap<Handle, Arc<Team>>> = RwLock::new(BTreeMap::new());
static NEXT: AtomicUsize = AtomicUsize::new(FIRST);

/// Makes the teams that exist from the start.
pub fn set_predefined(state: &'static State) {
    let mut teams = TEAMS.write().unwrap_or_else(PoisonError::into_inner);
    for (handle, slot) in [(WORLD, 0), (SHARED, 1)] {
        let team = Team {
            state,
            id: handle as u64,
            start: 0,
            stride: 1,
            size: state.npes,
            me: state.me,
            slot,
            num_contexts: 0,
            splits: AtomicU64::new(0),
        };
        teams.insert(handle, Arc::new(team));
    }
}

/// The team behind a handle, if there is one.
pub fn find(handle: Handle) -> Option<Arc<Team>> {
    TEAMS.read().unwrap_or_else(PoisonError::into_inner).get(&handle).cloned()
}

/// The team behind a handle; one that there is not ends the job.
pub fn get(call: &'static str, handle: Handle) -> Arc<Team> {
    find(handle).unwrap_or_else(|| {
        state(call);
        fail_args(call, format_args!("argument team = {handle:#x} is not a team of this PE; check for SHMEM_TEAM_INVALID after a split, and do not use it after shmem_team_destroy"))
    })
}

/// Which PEs of the parent: `start + i * stride` for `i` below `size`.
#[derive(Clone, Copy)]
struct Triplet {
    start: isize,
    stride: isize,
    size: usize,
}

impl Triplet {
    fn member(self, i: usize) -> isize {
        self.start + i as isize * self.stride
    }

    /// Number of the parent's PE `pe` in the new team.
    fn number(self, pe: usize) -> Option<usize> {
        (0..self.size).find(|&i| self.member(i) == pe as isize)
    }

    fn valid(self, parent: usize) -> bool {
        let inside = |pe: isize| (0..parent as isize).contains(&pe);
        self.size >= 1
            && self.size <= parent
            && (self.stride != 0 || self.size == 1)
            && inside(self.start)
            && self.stride.checked_mul(self.size as isize - 1).is_some_and(|d| inside(self.start + d))
    }
}

/// Mixes numbers into an identity that all members compute alike.
fn mix(parts: [u64; 5]) -> u64 {
    parts.iter().fold(0x243f_6a88_85a3_08d3, |hash, part| {
        let x = (hash ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x ^ x >> 29
    })
}

/// The collective part of a split: all PEs of `parent` call it, each with the team it will be in, or with the one that all
/// make. `None` on those that are not in it.
fn split(
    call: &'static str,
    parent: &Team,
    part: Triplet,
    tell: Tell,
    num_contexts: c_int,
) -> Result<Option<Team>, ()> {
    let sequence = parent.splits.fetch_add(1, Ordering::Relaxed);
    let number = part.number(parent.me);
    let mail = |member: usize| parent.state.control.slot(parent.slot).mail(member);
    mail(parent.me).store(NOT_YOURS, Ordering::Relaxed);
    parent.sync(call);
    if number == Some(0) {
        let taken = parent.state.control.take_slot();
        if let Some(slot) = taken {
            let slot = parent.state.control.slot(slot);
            slot.count().store(0, Ordering::Relaxed);
            slot.refs().store(part.size as u32, Ordering::Release);
        } else if let Tell::Everyone = tell {
            for member in 0..parent.size {
                mail(member).store(NO_SLOT, Ordering::Release);
            }
        }
        for i in 0..part.size {
            mail(part.member(i) as usize).store(taken.map_or(NO_SLOT, |slot| slot as u64 + 1), Ordering::Release);
        }
    }
    parent.sync(call);
    let answer = mail(parent.me).load(Ordering::Acquire);
    if answer == NO_SLOT {
        return Err(());
    }
    let Some(me) = number else { return Ok(None) };
    let Some(slot) = (answer as usize).checked_sub(1) else {
        fail(
            call,
            "the first PE of the new team gave other arguments; all PEs must give the same start, stride and size",
        )
    };
    let (start, stride) = (parent.start + part.start * parent.stride, part.stride * parent.stride);
    Ok(Some(Team {
        state: parent.state,
        id: mix([parent.id, sequence, start as u64, stride as u64, part.size as u64]),
        start,
        stride,
        size: part.size,
        me,
        slot,
        num_contexts,
        splits: AtomicU64::new(0),
    }))
}

/// Who learns from the first member of a new team whether it could be made.
#[derive(Clone, Copy)]
enum Tell {
    Everyone,
    Members,
}

fn contexts(config: *const Config, mask: c_long) -> c_int {
    if config.is_null() || mask & NUM_CONTEXTS == 0 {
        return 0;
    }
    // SAFETY: the caller's structure.
    unsafe { (*config).num_contexts }
}

/// Gives a new team a handle and hands it out; the result is the standard's return value.
fn hand_out(made: Result<Option<Team>, ()>, to: *mut Handle) -> c_int {
    let (handle, result) = match made {
        Ok(Some(team)) => {
            let handle = NEXT.fetch_add(1, Ordering::Relaxed);
            TEAMS.write().unwrap_or_else(PoisonError::into_inner).insert(handle, Arc::new(team));
            (handle, 0)
        }
        Ok(None) => (INVALID, 0),
        Err(()) => (INVALID, 1),
    };
    // SAFETY: the caller's variable.
    unsafe { to.write(handle) };
    result
}

fn destroy(call: &'static str, handle: Handle) {
    if handle == INVALID {
        return;
    }
    if handle < FIRST {
        fail(call, "a predefined team cannot be destroyed; destroy only what a split made")
    }
    let team = get(call, handle);
    ctx::shareable(handle).for_each(|ctx| ctx::gone(call, ctx));
    team.sync(call);
    TEAMS.write().unwrap_or_else(PoisonError::into_inner).remove(&handle);
    let control = &team.state.control;
    if control.slot(team.slot).refs().fetch_sub(1, Ordering::AcqRel) == 1 {
        control.free_slot(team.slot);
    }
}

export! {
    fn team_my_pe(team: Handle) -> c_int {
        state(CALL);
        if team == INVALID { -1 } else { get(CALL, team).me as c_int }
    }
    fn team_n_pes(team: Handle) -> c_int {
        state(CALL);
        if team == INVALID { -1 } else { get(CALL, team).size as c_int }
    }
    fn team_get_config(team: Handle, mask: c_long, config: *mut Config) -> c_int {
        state(CALL);
        if team == INVALID {
            return 1;
        }
        let team = get(CALL, team);
        if mask & NUM_CONTEXTS != 0 {
            // SAFETY: the caller's structure.
            unsafe { (*config).num_contexts = team.num_contexts };
        }
        0
    }
    fn team_translate_pe(src_team: Handle, src_pe: c_int, dest_team: Handle) -> c_int {
        state(CALL);
        if src_team == INVALID || dest_team == INVALID {
            return -1;
        }
        let (from, to) = (get(CALL, src_team), get(CALL, dest_team));
        if src_pe < 0 || src_pe as usize >= from.size {
            return -1;
        }
        let there = Triplet { start: to.start, stride: to.stride, size: to.size };
        there.number(from.world(src_pe as usize)).map_or(-1, |n| n as c_int)
    }
    fn team_split_strided(parent: Handle, start: c_int, stride: c_int, size: c_int, config: *const Config, mask: c_long, team: *mut Handle) -> c_int {
        state(CALL);
        let part = Triplet { start: start as isize, stride: stride as isize, size: size.max(0) as usize };
        if parent == INVALID {
            return hand_out(Err(()), team);
        }
        let parent = get(CALL, parent);
        if !part.valid(parent.size) {
            return hand_out(Err(()), team);
        }
        hand_out(split(CALL, &parent, part, Tell::Everyone, contexts(config, mask)), team)
    }
    fn team_split_2d(
        parent: Handle,
        xrange: c_int,
        xconfig: *const Config,
        xmask: c_long,
        xteam: *mut Handle,
        yconfig: *const Config,
        ymask: c_long,
        yteam: *mut Handle,
    ) -> c_int {
        state(CALL);
        if parent == INVALID || xrange < 1 {
            return hand_out(Err(()), xteam) | hand_out(Err(()), yteam);
        }
        let parent = get(CALL, parent);
        let xrange = (xrange as usize).min(parent.size);
        let (x, y) = (parent.me % xrange, parent.me / xrange);
        let row = Triplet { start: (y * xrange) as isize, stride: 1, size: xrange.min(parent.size - y * xrange) };
        let column = Triplet { start: x as isize, stride: xrange as isize, size: (parent.size - x).div_ceil(xrange) };
        let first = hand_out(split(CALL, &parent, row, Tell::Members, contexts(xconfig, xmask)), xteam);
        first | hand_out(split(CALL, &parent, column, Tell::Members, contexts(yconfig, ymask)), yteam)
    }
    fn team_destroy(team: Handle) {
        state(CALL);
        destroy(CALL, team);
    }
}
