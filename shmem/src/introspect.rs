//! What the detector asks; see `include/thrille_shmem.h`.

use std::ffi::{c_int, c_ulonglong, c_void};

use thrille_launch::PeState;

use crate::ctx::{self, Ctx};
use crate::fail;
use crate::state::try_state;
use crate::sync::Group;
use crate::team;

/// Where a segment (0 heap, 1 statics) of `pe` is mapped in this process; 0 before initialisation or when there is none.
#[unsafe(no_mangle)]
pub extern "C" fn thrille_shmem_range(segment: c_int, pe: c_int, base: *mut *mut c_void, len: *mut usize) -> c_int {
    let Some((at, bytes)) = try_state().and_then(|s| s.segment(segment, pe as usize)) else { return 0 };
    // SAFETY: the caller's variables.
    unsafe {
        base.write(at.cast());
        len.write(bytes);
    }
    1
}

/// Registers what is called once before the process ends early.
#[unsafe(no_mangle)]
pub extern "C" fn thrille_shmem_on_abort(f: Option<extern "C" fn()>) {
    fail::on_abort(f);
}

/// This PE is about to end, without having finalised, with this status: whoever waits for it in a collective is told so, and a failure
/// ends the job.
#[unsafe(no_mangle)]
pub extern "C" fn thrille_shmem_leaving(status: c_int) {
    if let Some(state) = try_state()
        && state.control.state(state.me) == PeState::Running
    {
        if status != 0 {
            state.control.abort(status);
        }
        state.control.set_state(state.me, PeState::Exited);
    }
}

/// A number that all members of the team agree on and no other team of the job has; 0 for what is no team.
#[unsafe(no_mangle)]
pub extern "C" fn thrille_shmem_team_id(team: team::Handle, id: *mut c_ulonglong) {
    // SAFETY: the caller's variable.
    unsafe { id.write(team::find(team).map_or(0, |t| t.id)) };
}

/// The PE of the job that `pe` is in the team; -1 when it is none.
#[unsafe(no_mangle)]
pub extern "C" fn thrille_shmem_team_world_pe(team: team::Handle, pe: c_int) -> c_int {
    match team::find(team) {
        Some(t) if pe >= 0 && (pe as usize) < t.size => t.world(pe as usize) as c_int,
        _ => -1,
    }
}

/// 0 for the default context, otherwise unique within this PE and never used again.
#[unsafe(no_mangle)]
pub extern "C" fn thrille_shmem_ctx_id(ctx: Ctx) -> u32 {
    ctx::identity(ctx)
}

/// The number of one of the contexts that go when their team does, 0 if there are not so many.
#[unsafe(no_mangle)]
pub extern "C" fn thrille_shmem_team_ctx(team: team::Handle, which: usize) -> u32 {
    ctx::shareable(team).nth(which).map_or(0, ctx::identity)
}

/// How many bytes the last collect of this thread has written to its destination: that depends on the other members.
#[unsafe(no_mangle)]
pub extern "C" fn thrille_shmem_collected() -> usize {
    crate::collectives::collected()
}
