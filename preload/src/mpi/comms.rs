//! Communicators: an id that all members agree on without talking, and who their ranks are in the world.
//!
//! A communicator made by all members of its parent is named by the parent's id, how many were made from that before, and its own
//! first member: those that come out of one call (a split) are disjoint. One made by its members alone is named by them.

use crate::mpi::call::{SUCCESS, Shared, call, calls, has_ended, raw};
use crate::mpi::messages;
use mpi_sys::{MPI_Comm, MPI_Errhandler, MPI_Group, MPI_Info, MPI_Request};
use rustc_hash::{FxHashMap, FxHasher};
use std::collections::hash_map::Entry;
use std::ffi::{CStr, c_char, c_int};
use std::hash::Hasher;
use std::sync::atomic::{AtomicI32, Ordering};
use thrille_model::{Rank, Token};

/// The level of thread support that the library gives.
pub static LEVEL: AtomicI32 = AtomicI32::new(0);

/// How many processes the world has.
static WORLD_SIZE: AtomicI32 = AtomicI32::new(0);

/// Who is behind the ranks of a group.
#[derive(Debug)]
pub enum Members {
    /// The same as in the world.
    World,
    /// Others; the library is asked once for each.
    Some {
        /// The library's group.
        group: MPI_Group,
        /// What it has said.
        known: FxHashMap<c_int, u32>,
    },
}

// SAFETY: handles of the library may be used by any thread.
unsafe impl Send for Members {}

fn world_group() -> MPI_Group {
    // SAFETY: the world is there once the library is initialised; the group is written before it is read.
    unsafe {
        let mut group = mpi_sys::RSMPI_GROUP_EMPTY;
        mpi_sys::PMPI_Comm_group(mpi_sys::RSMPI_COMM_WORLD, &raw mut group);
        group
    }
}

impl Members {
    /// The members of a group, which is taken over.
    pub fn of(mut group: MPI_Group) -> Self {
        let mut result = 0;
        let mut world = world_group();
        // SAFETY: both groups are valid.
        unsafe {
            let compared = mpi_sys::PMPI_Group_compare(group, world, &raw mut result);
            mpi_sys::PMPI_Group_free(&raw mut world);
            if compared == SUCCESS && result == mpi_sys::RSMPI_IDENT {
                mpi_sys::PMPI_Group_free(&raw mut group);
                return Self::World;
            }
        }
        Self::Some { group, known: FxHashMap::default() }
    }

    /// The process behind a rank.
    pub fn world_rank(&mut self, rank: c_int) -> Option<Rank> {
        if rank < 0 {
            return None;
        }
        match self {
            Self::World => (rank < WORLD_SIZE.load(Ordering::Relaxed)).then_some(Rank(rank as u32)),
            Self::Some { group, known } => {
                if let Some(&at) = known.get(&rank) {
                    return Some(Rank(at));
                }
                let at = translate(*group, &[rank])?.first().copied()?;
                known.insert(rank, at.0);
                Some(at)
            }
        }
    }

    /// The rank of a process.
    pub fn rank_of(&self, process: Rank) -> Option<c_int> {
        match self {
            Self::World => Some(process.0 as c_int),
            Self::Some { group, .. } => {
                let mut world = world_group();
                let (from, mut to) = (process.0 as c_int, -1);
                // SAFETY: both groups are valid; one rank is translated.
                unsafe {
                    mpi_sys::PMPI_Group_translate_ranks(world, 1, (&raw const from).cast_mut(), *group, &raw mut to);
                    mpi_sys::PMPI_Group_free(&raw mut world);
                }
                (to >= 0).then_some(to)
            }
        }
    }

    fn free(self) {
        if let Self::Some { mut group, .. } = self {
            // SAFETY: our own reference to the group.
            unsafe { mpi_sys::PMPI_Group_free(&raw mut group) };
        }
    }
}

/// Ranks of a group as ranks of the world.
fn translate(group: MPI_Group, ranks: &[c_int]) -> Option<Vec<Rank>> {
    let mut world = world_group();
    let mut found = vec![-1; ranks.len()];
    // SAFETY: the group is valid; both arrays have the length that is given.
    let result = unsafe {
        let result = mpi_sys::PMPI_Group_translate_ranks(
            group,
            ranks.len() as c_int,
            ranks.as_ptr().cast_mut(),
            world,
            found.as_mut_ptr(),
        );
        mpi_sys::PMPI_Group_free(&raw mut world);
        result
    };
    if result != SUCCESS {
        return None;
    }
    found.into_iter().map(|at| u32::try_from(at).ok().map(Rank)).collect()
}

/// All members of a group that the program passed.
pub fn of_group(group: MPI_Group) -> Vec<Rank> {
    let mut size = 0;
    // SAFETY: asks about the handle that the program passes to the library.
    if unsafe { mpi_sys::PMPI_Group_size(group, &raw mut size) } != SUCCESS || size <= 0 {
        return Vec::new();
    }
    translate(group, &(0..size).collect::<Vec<_>>()).unwrap_or_default()
}

/// A communicator.
#[derive(Debug)]
pub struct Comm {
    id: u64,
    size: c_int,
    rank: c_int,
    members: Members,
    /// The other group of an intercommunicator.
    remote: Option<Members>,
    remote_size: c_int,
    /// Which of the two groups this process is in: the first is the one with the lowest rank of the world.
    side: c_int,
    is_world: bool,
    /// How many were made from it.
    children: u64,
    /// How many collectives it has had.
    collectives: u64,
}

/// What calls want to know of a communicator.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Equal on all members.
    pub id: u64,
    /// Members of the own group.
    pub size: c_int,
    /// Members that data goes to and comes from: the other group's of an intercommunicator.
    pub peers: c_int,
    /// This process in it.
    pub rank: c_int,
    /// Whether it has two groups.
    pub inter: bool,
    /// Which of them this process is in, 0 or 1.
    pub side: c_int,
    /// Whether a collective of all with all on it is a global barrier. All ranks must count those alike, so with threads that run
    /// collectives side by side only the world itself will do.
    pub global: bool,
}

impl About {
    /// Those that data goes to and comes from, by their places in arrays that have one for each.
    pub fn everybody(&self) -> std::ops::Range<usize> {
        0..self.peers.max(0) as usize
    }
}

#[derive(Default)]
struct Comms {
    by_handle: FxHashMap<u64, Comm>,
    /// How often each set of processes has made a communicator on its own.
    by_members: FxHashMap<u64, u64>,
    /// Those that the program has freed while receives were pending on them, by their ids.
    freed: FxHashMap<u64, Comm>,
}

static COMMS: Shared<Comms> = Shared::new();

fn hash(parts: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    for &part in parts {
        // FxHasher keeps little of its first words: stir each.
        hasher.write_u64(part.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (part >> 32));
        hasher.write_u64(hasher.finish().rotate_left(23) ^ 0x51_7cc1_b727);
    }
    // The two upper bits tell windows from communicators.
    hasher.finish() >> 2
}

/// Whether collectives of all with all over this many members are global barriers.
pub fn is_global(size: c_int, is_world: bool) -> bool {
    size == WORLD_SIZE.load(Ordering::Relaxed) && (is_world || !any_thread())
}

fn ask(comm: MPI_Comm) -> Option<Comm> {
    let (mut size, mut rank, mut inter, mut remote_size) = (0, 0, 0, 0);
    // SAFETY: asks about the handle that the program passes to the library, with variables of our own.
    unsafe {
        let mut group = mpi_sys::RSMPI_GROUP_EMPTY;
        if mpi_sys::PMPI_Comm_size(comm, &raw mut size) != SUCCESS
            || mpi_sys::PMPI_Comm_rank(comm, &raw mut rank) != SUCCESS
            || mpi_sys::PMPI_Comm_test_inter(comm, &raw mut inter) != SUCCESS
            || mpi_sys::PMPI_Comm_group(comm, &raw mut group) != SUCCESS
        {
            return None;
        }
        let mut remote = None;
        if inter != 0 {
            let mut other = mpi_sys::RSMPI_GROUP_EMPTY;
            mpi_sys::PMPI_Comm_remote_group(comm, &raw mut other);
            mpi_sys::PMPI_Comm_remote_size(comm, &raw mut remote_size);
            remote = Some(Members::of(other));
        }
        let is_world = raw(comm) == raw(mpi_sys::RSMPI_COMM_WORLD);
        let mut members = Members::of(group);
        let lowest = |members: &mut Members, size: c_int| (0..size).filter_map(|r| members.world_rank(r)).min();
        let side = match &mut remote {
            Some(other) => c_int::from(lowest(other, remote_size) < lowest(&mut members, size)),
            None => 0,
        };
        Some(Comm { id: 0, size, rank, members, remote, remote_size, side, is_world, children: 0, collectives: 0 })
    }
}

impl Comm {
    /// All processes in it, in order: equal on all of them.
    fn everybody(&mut self) -> Vec<u64> {
        let mut all: Vec<u64> =
            (0..self.size).filter_map(|r| self.members.world_rank(r)).map(|r| u64::from(r.0)).collect();
        if let Some(remote) = &mut self.remote {
            all.extend((0..self.remote_size).filter_map(|r| remote.world_rank(r)).map(|r| u64::from(r.0)));
        }
        all.sort_unstable();
        all
    }

    fn about(&self) -> About {
        let inter = self.remote.is_some();
        About {
            id: self.id,
            size: self.size,
            peers: if inter { self.remote_size } else { self.size },
            rank: self.rank,
            inter,
            side: self.side,
            global: !inter && is_global(self.size, self.is_world),
        }
    }
}

impl Comms {
    fn get(&mut self, comm: MPI_Comm) -> Option<&mut Comm> {
        match self.by_handle.entry(raw(comm)) {
            Entry::Occupied(known) => Some(known.into_mut()),
            Entry::Vacant(free) => {
                // The world, the process itself, or one whose making was not observed: named by its members.
                let mut new = ask(comm)?;
                new.id = if new.is_world { 1 } else { hash(&[&[2], new.everybody().as_slice()].concat()) };
                Some(free.insert(new))
            }
        }
    }
}

/// Whether any thread may call the library at any time.
pub fn any_thread() -> bool {
    LEVEL.load(Ordering::Relaxed) == mpi_sys::MPI_THREAD_MULTIPLE as c_int
}

/// Whether a thread, the main one or another, may call the library whatever the others do.
pub fn may_call(main: bool) -> bool {
    any_thread() || main && LEVEL.load(Ordering::Relaxed) <= mpi_sys::MPI_THREAD_FUNNELED as c_int
}

/// The library is initialised.
pub fn begin(size: c_int, level: c_int) {
    WORLD_SIZE.store(size, Ordering::Relaxed);
    LEVEL.store(level, Ordering::Relaxed);
}

/// What is to be known of a communicator.
pub fn about(comm: MPI_Comm) -> Option<About> {
    COMMS.with(|comms| comms.get(comm).map(|c| c.about()))
}

/// The process that a rank means in calls on this communicator: of the other group, if it has two.
pub fn peer(comm: MPI_Comm, rank: c_int) -> Option<Rank> {
    COMMS.with(|comms| {
        let comm = comms.get(comm)?;
        comm.remote.as_mut().unwrap_or(&mut comm.members).world_rank(rank)
    })
}

/// The same for a communicator that may be gone already, its handle another one's.
pub fn known_peer(comm: MPI_Comm, id: u64, rank: c_int) -> Option<Rank> {
    COMMS.with(|comms| {
        let known = comms.by_handle.get_mut(&raw(comm)).filter(|comm| comm.id == id);
        let comm = known.or_else(|| comms.freed.get_mut(&id))?;
        comm.remote.as_mut().unwrap_or(&mut comm.members).world_rank(rank)
    })
}

/// The token of a communicator's next collective.
pub fn next_collective(comm: MPI_Comm) -> Option<Token> {
    COMMS.with(|comms| {
        let comm = comms.get(comm)?;
        comm.collectives += 1;
        Some(Token::Collective { group: comm.id, seq: comm.collectives })
    })
}

/// The last collective of a communicator has returned: if it did not begin, the next one takes its place.
pub fn counts(comm: MPI_Comm, result: c_int) {
    if !has_ended(result) {
        COMMS.with(|comms| comms.get(comm).map(|comm| comm.collectives -= 1));
    }
}

/// A group of its own for the next persistent collective of a communicator, whose starts are counted; the two upper bits are others'.
pub fn recurring(comm: MPI_Comm) -> Option<u64> {
    let Token::Collective { group, seq } = next_collective(comm)? else { return None };
    Some((group ^ seq.wrapping_mul(0xd6e8_feb8_6659_fd93)) >> 2)
}

/// How a communicator is made.
enum Made {
    /// By a call of all members of another one.
    From(MPI_Comm),
    /// By a call of its members only, who are in this one or in none, with this tag.
    Alone(Option<MPI_Comm>, u64),
}

fn made(how: &Made, new: *mut MPI_Comm, result: c_int) {
    let null = raw(null_comm());
    // SAFETY: the library wrote the handle if it succeeded.
    let new = if result == SUCCESS { unsafe { *new } } else { return };
    COMMS.with(|comms| match *how {
        Made::From(parent) => {
            let Some(parent) = comms.get(parent) else { return };
            parent.children += 1;
            let (id, nth) = (parent.id, parent.children);
            if raw(new) == null {
                return;
            }
            if let Some(mut comm) = ask(new) {
                // Both groups of an intercommunicator must come to the same.
                let first = if comm.remote.is_some() {
                    comm.everybody().first().copied()
                } else {
                    comm.members.world_rank(0).map(|r| u64::from(r.0))
                };
                comm.id = hash(&[id, nth, first.unwrap_or(0)]);
                comms.by_handle.insert(raw(new), comm);
            }
        }
        Made::Alone(parent, tag) => {
            if raw(new) == null {
                return;
            }
            let parent = parent.and_then(|parent| comms.get(parent)).map_or(0, |p| p.id);
            if let Some(mut comm) = ask(new) {
                // The two sides of an intercommunicator come from different parents.
                let parent = if comm.remote.is_some() { 0 } else { parent };
                let members = hash(&[&[parent, tag], comm.everybody().as_slice()].concat());
                let nth = comms.by_members.entry(members).or_default();
                *nth += 1;
                comm.id = hash(&[members, *nth]);
                comms.by_handle.insert(raw(new), comm);
            }
        }
    });
}

fn null_comm() -> MPI_Comm {
    // SAFETY: a constant of the library.
    unsafe { mpi_sys::RSMPI_COMM_NULL }
}

/// A tag that is a string, as a number.
fn tag_of(string: *const c_char) -> u64 {
    // SAFETY: the program's string.
    let bytes = unsafe { CStr::from_ptr(string) }.to_bytes();
    hash(&bytes.iter().copied().map(u64::from).collect::<Vec<_>>())
}

/// Runs a call that makes a communicator.
fn making(how: &Made, new: *mut MPI_Comm, real: impl FnOnce() -> c_int) -> c_int {
    let call = call();
    let result = real();
    if call.is_some() {
        made(how, new, result);
    }
    result
}

fn gone(comm: MPI_Comm) {
    if let Some(comm) = COMMS.with(|comms| comms.by_handle.remove(&raw(comm))) {
        if messages::are_pending(comm.id) {
            COMMS.with(|comms| comms.freed.insert(comm.id, comm));
            return;
        }
        comm.members.free();
        if let Some(remote) = comm.remote {
            remote.free();
        }
    }
}

/// A communicator whose making completes later: its id is settled now, the rest asked for when it is used.
pub fn promised(parent: MPI_Comm) -> u64 {
    COMMS.with(|comms| {
        comms.get(parent).map_or(0, |parent| {
            parent.children += 1;
            hash(&[parent.id, parent.children, parent.members.world_rank(0).map_or(0, |r| u64::from(r.0))])
        })
    })
}

/// Runs a call that begins to make a communicator.
fn duplicating(comm: MPI_Comm, new: *mut MPI_Comm, request: *mut MPI_Request, real: impl FnOnce() -> c_int) -> c_int {
    let call = call();
    let result = real();
    if call.is_some() && result == SUCCESS {
        // SAFETY: the library has written the request, and the handle as well, as both that we know do. A binding's variable is gone when the request is complete.
        let (handle, made) = unsafe { (*request, *new) };
        crate::mpi::requests::duplicating(handle, request, made, promised(comm));
    }
    result
}

/// It is complete now.
pub fn kept(new: MPI_Comm, id: u64) {
    if let Some(mut comm) = ask(new) {
        comm.id = id;
        COMMS.with(|comms| comms.by_handle.insert(raw(new), comm));
    }
}

// SAFETY (all rows): each body forwards the program's own arguments.
calls! {
    fn Comm_dup(comm: MPI_Comm, new: *mut MPI_Comm), real => { making(&Made::From(comm), new, real) }
    fn Comm_dup_with_info(comm: MPI_Comm, info: MPI_Info, new: *mut MPI_Comm), real => { making(&Made::From(comm), new, real) }
    fn Comm_idup(comm: MPI_Comm, new: *mut MPI_Comm, request: *mut MPI_Request), real => {
        duplicating(comm, new, request, real)
    }
    fn Comm_idup_with_info(comm: MPI_Comm, info: MPI_Info, new: *mut MPI_Comm, request: *mut MPI_Request), real => {
        duplicating(comm, new, request, real)
    }
    fn Comm_split(comm: MPI_Comm, color: c_int, key: c_int, new: *mut MPI_Comm), real => { making(&Made::From(comm), new, real) }
    fn Comm_split_type(comm: MPI_Comm, kind: c_int, key: c_int, info: MPI_Info, new: *mut MPI_Comm), real => {
        making(&Made::From(comm), new, real)
    }
    fn Comm_create(comm: MPI_Comm, group: MPI_Group, new: *mut MPI_Comm), real => { making(&Made::From(comm), new, real) }
    fn Comm_create_group(comm: MPI_Comm, group: MPI_Group, tag: c_int, new: *mut MPI_Comm), real => {
        making(&Made::Alone(Some(comm), tag as u64), new, real)
    }
    fn Comm_create_from_group(
        group: MPI_Group, tag: *const c_char, info: MPI_Info, handler: MPI_Errhandler, new: *mut MPI_Comm,
    ), real => { making(&Made::Alone(None, tag_of(tag)), new, real) }
    fn Intercomm_create_from_groups(
        local: MPI_Group, leader: c_int, remote: MPI_Group, remote_leader: c_int, tag: *const c_char, info: MPI_Info,
        handler: MPI_Errhandler, new: *mut MPI_Comm,
    ), real => { making(&Made::Alone(None, tag_of(tag)), new, real) }
    fn Cart_create(comm: MPI_Comm, n: c_int, dims: *const c_int, periods: *const c_int, reorder: c_int, new: *mut MPI_Comm), real => {
        making(&Made::From(comm), new, real)
    }
    fn Cart_sub(comm: MPI_Comm, remain: *const c_int, new: *mut MPI_Comm), real => { making(&Made::From(comm), new, real) }
    fn Graph_create(comm: MPI_Comm, n: c_int, index: *const c_int, edges: *const c_int, reorder: c_int, new: *mut MPI_Comm), real => {
        making(&Made::From(comm), new, real)
    }
    fn Dist_graph_create(
        comm: MPI_Comm, n: c_int, sources: *const c_int, degrees: *const c_int, destinations: *const c_int, weights: *const c_int,
        info: MPI_Info, reorder: c_int, new: *mut MPI_Comm,
    ), real => { making(&Made::From(comm), new, real) }
    fn Dist_graph_create_adjacent(
        comm: MPI_Comm, indegree: c_int, sources: *const c_int, source_weights: *const c_int, outdegree: c_int,
        destinations: *const c_int, weights: *const c_int, info: MPI_Info, reorder: c_int, new: *mut MPI_Comm,
    ), real => { making(&Made::From(comm), new, real) }
    fn Intercomm_create(
        local: MPI_Comm, leader: c_int, bridge: MPI_Comm, remote: c_int, tag: c_int, new: *mut MPI_Comm,
    ), real => { making(&Made::Alone(Some(local), tag as u64), new, real) }
    fn Intercomm_merge(inter: MPI_Comm, high: c_int, new: *mut MPI_Comm), real => { making(&Made::From(inter), new, real) }
    fn Comm_free(comm: *mut MPI_Comm), real => {
        let call = call();
        if call.is_some() && !comm.is_null() {
            // SAFETY: the program's handle.
            gone(unsafe { *comm });
        }
        real()
    }
    fn Comm_disconnect(comm: *mut MPI_Comm), real => {
        let call = call();
        if call.is_some() && !comm.is_null() {
            // SAFETY: the program's handle.
            gone(unsafe { *comm });
        }
        real()
    }
}
