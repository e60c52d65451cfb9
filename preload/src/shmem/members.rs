//! Who takes part in a collective.

use crate::shmem::call::{Call, Handle, Target};
use crate::shmem::library;
use std::ffi::{c_int, c_long, c_void};
use thrille_model::{Act, Ctx, Kind, Rank};
use thrille_runtime::Operands;

unsafe extern "C" {
    fn pshmem_team_my_pe(team: Handle) -> c_int;
    fn pshmem_my_pe() -> c_int;
}

/// A set of PEs that a collective is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// All of them: a collective of all with all is a global barrier.
    World,
    /// Some of them, by a number that all members agree on.
    Some(u64),
}

/// The number of the world's team.
pub const WORLD: u64 = 1;

impl Group {
    /// A team.
    pub fn team(handle: Handle) -> Option<Self> {
        match library::team(handle) {
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

/// The members of a set.
pub struct Members {
    pub group: Option<Group>,
    pub size: usize,
    /// Which one this PE is.
    pub me: i64,
    which: Which,
}

enum Which {
    Team(Handle),
    ActiveSet { start: c_int, log_stride: c_int, flags: *const c_long },
}

impl Members {
    /// Of a team.
    pub fn team(handle: Handle) -> Self {
        // SAFETY: asks the library about the handle that the program is about to pass to it.
        let me = i64::from(unsafe { pshmem_team_my_pe(handle) });
        let (group, size) = (Group::team(handle), library::team(handle).1.max(0) as usize);
        Self { group, size, me, which: Which::Team(handle) }
    }

    /// Of an active set, with the array by which its members synchronise.
    pub fn active_set(start: c_int, log_stride: c_int, size: c_int, flags: *const c_long) -> Self {
        // SAFETY: a query without arguments.
        let me = unsafe { pshmem_my_pe() } - start;
        let log_stride = log_stride.clamp(0, 31);
        let group = Some(Group::active_set(start, log_stride, size));
        let which = Which::ActiveSet { start, log_stride, flags };
        Self { group, size: size.max(0) as usize, me: i64::from(me >> log_stride), which }
    }

    /// The PE that a member is.
    fn world(&self, member: usize) -> Option<Rank> {
        let pe = match self.which {
            Which::Team(handle) => library::team_member(handle, member as c_int),
            Which::ActiveSet { start, log_stride, .. } => start.checked_add((member as c_int) << log_stride)?,
        };
        u32::try_from(pe).ok().map(Rank)
    }

    /// This PE writes some of every other member's memory.
    pub fn write(&self, call: &mut Call, at: *const c_void, bytes: usize) {
        for pe in (0..self.size).filter(|&member| member as i64 != self.me).filter_map(|member| self.world(member)) {
            let to = Target { ctx: Ctx(0), pe };
            if bytes > 0 {
                call.far(at, bytes, to, Kind::Write, Act::Collective, Operands::Done);
            }
        }
    }

    /// Every member's array for synchronising must be ready before any of them calls. One element stands for all.
    pub fn flags(&self, call: &mut Call) {
        if let Which::ActiveSet { flags, .. } = self.which {
            self.write(call, flags.cast(), size_of::<c_long>());
        }
    }
}
