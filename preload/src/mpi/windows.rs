//! Windows come and go: which memory they are, who is behind their ranks, how displacements are counted.
//!
//! A rank's own part of a window is shared memory at its own addresses. Far ends of operations name the window and the offset in the
//! target's part; the target knows where that is. So windows may overlap each other.

use crate::confirm;
use crate::last::inside;
use crate::mpi::call::{Call, SUCCESS, Shared, call, calls, is_given_up, raw, scopes};
use crate::mpi::comms::{self, Members, is_global};
use crate::mpi::elsewhere::{self, Piece, Pieces};
use crate::rank::unobserved;
use mpi_sys::{MPI_Aint, MPI_Comm, MPI_Group, MPI_Info, MPI_Win};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use thrille_model::{Ctx, Pos, Rank, Segment, Strand, Token, Word};
use thrille_runtime::{Region, Regions};

/// How displacements at a target are counted.
#[derive(Debug)]
pub enum Units {
    /// Alike at all: one number, however many ranks there are.
    Same(u64),
    /// Each its own.
    Each(Vec<u64>),
}

/// Where the window's memory is at a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressing {
    /// Displacements count from the target's base.
    Offsets,
    /// Displacements are the target's addresses.
    Addresses,
}

/// Another rank of a window, once it has been an operation's target.
#[derive(Clone, Debug)]
pub struct Partner {
    /// The process.
    pub rank: Rank,
    /// What completes the far ends.
    pub far: Ctx,
    /// What completes the near ends.
    pub near: Ctx,
    /// Scopes of requests that are not complete.
    pub requests: Vec<Ctx>,
    /// Whether something may be under way.
    pub pending: bool,
}

/// The steps of generalised active target synchronisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    Post,
    Start,
    Complete,
    Wait,
}

/// Whether the lock of a lock epoch was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    Yes,
    /// By the strand that has the epoch of all locks, for another one, which has come to this target before it.
    ForAnother,
    /// The program says that nobody else wants it: the epoch is there, and nothing is protected.
    OnTrust,
}

/// A window of this process.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "independent properties")]
pub struct Window {
    /// Equal on all members.
    pub number: u32,
    addressing: Addressing,
    members: Members,
    /// This process's rank in it.
    pub rank: c_int,
    /// How many there are.
    pub size: c_int,
    /// Whether plain loads and stores reach the others' parts.
    pub shared: bool,
    /// Whether a fence is a global barrier.
    pub global: bool,
    units: Units,
    /// What the ranks expose of others' memory, by rank; nothing if nobody does.
    elsewhere: Vec<Pieces>,
    /// By rank.
    pub partners: FxHashMap<c_int, Partner>,
    /// Those with something under way.
    pub pending: Vec<c_int>,
    /// Fences and other collectives on it so far.
    pub collectives: u64,
    /// Fences so far that need not wait for anybody.
    pub openings: u64,
    /// The number of the last one, until a fence that waits comes.
    pub opening: Option<u64>,
    /// The targets of which a strand knows that they have come to that one.
    pub met: FxHashSet<(Strand, Rank)>,
    /// Its lock epochs, by target.
    pub locks: FxHashMap<c_int, Taken>,
    /// Its epoch for the shared locks of all.
    pub lock_all: Option<All>,
    /// Targets of the access epoch between start and complete: rank here and in the world.
    pub started: Vec<(c_int, Rank)>,
    /// Origins of the exposure epoch between post and wait.
    pub posted: Vec<Rank>,
    /// How many times each has posted to, started, completed and waited for each other.
    pub epochs: FxHashMap<(Step, Rank), u64>,
    /// Which accumulates of one origin are ordered.
    pub ordered: Ordered,
    /// Whether reading atomically goes with every other accumulate.
    pub reading_goes_with_all: bool,
}

/// What `accumulate_ordering` says of two accumulates of one origin to one place: which of them follow each other in the order of their issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ordered {
    /// Those that only read, with those that write.
    pub reads: bool,
    /// Those that only write.
    pub writes: bool,
    /// Those that do both.
    pub both: bool,
}

impl Ordered {
    /// What holds if nothing is said.
    const STRICTLY: Self = Self { reads: true, writes: true, both: true };

    fn said(order: &str) -> Self {
        let says = |which| order.split(',').any(|said| said.trim() == which);
        let (reads, writes) = (says("raw") && says("war"), says("waw"));
        Self { reads, writes, both: reads && writes && says("rar") }
    }
}

/// An epoch for the shared locks of all: how it was begun, and where.
#[derive(Clone, Copy, Debug)]
pub struct All {
    pub taken: Taken,
    pub by: Strand,
    pub since: Pos,
}

impl Window {
    /// The process behind a rank.
    pub fn world_rank(&mut self, rank: c_int) -> Option<Rank> {
        self.members.world_rank(rank)
    }

    /// The rank of a process.
    pub fn rank_of(&self, process: Rank) -> Option<c_int> {
        self.members.rank_of(process)
    }

    /// Counts a step with another process.
    pub fn count(&mut self, step: Step, with: Rank) -> u64 {
        let n = self.epochs.entry((step, with)).or_default();
        *n += 1;
        *n
    }

    /// A target, for an operation that is under way from now on.
    pub fn partner(&mut self, target: c_int) -> Option<&mut Partner> {
        if !self.partners.contains_key(&target) {
            let rank = self.world_rank(target)?;
            let (near, far) = scopes();
            let new = Partner { rank, far, near, requests: Vec::new(), pending: false };
            self.partners.insert(target, new);
        }
        self.partners.get_mut(&target)
    }

    /// Part and offset of a displacement at a target.
    pub fn place(&self, target: c_int, displacement: MPI_Aint) -> (Segment, u64) {
        match (self.addressing, &self.units) {
            (Addressing::Addresses, _) => (Segment::Private, displacement as u64),
            (Addressing::Offsets, Units::Same(unit)) => self.offset(displacement, *unit),
            (Addressing::Offsets, Units::Each(units)) => {
                self.offset(displacement, units.get(target.max(0) as usize).copied().unwrap_or(1))
            }
        }
    }

    /// What a target exposes of others' memory.
    pub fn elsewhere(&self, target: c_int) -> Option<Pieces> {
        self.elsewhere.get(target.max(0) as usize).filter(|pieces| !pieces.is_empty()).cloned()
    }

    fn offset(&self, displacement: MPI_Aint, unit: u64) -> (Segment, u64) {
        (Segment::Window(self.number), (displacement as u64).wrapping_mul(unit))
    }

    /// The token of its next collective, for windows that not everybody is a member of.
    pub fn next_collective(&mut self) -> Token {
        self.collectives += 1;
        Token::Collective { group: self.group(), seq: self.collectives }
    }

    /// Its number among the groups of ranks.
    pub fn group(&self) -> u64 {
        1 << 63 | u64::from(self.number)
    }
}

static WINDOWS: Shared<FxHashMap<u64, Window>> = Shared::new();

/// Works on a window; none if it was made before anybody watched.
pub fn window<R>(win: MPI_Win, f: impl FnOnce(&mut Window) -> R) -> Option<R> {
    WINDOWS.with(|windows| windows.get_mut(&raw(win)).map(f))
}

/// The window with this number.
pub fn numbered<R>(number: u32, f: impl FnOnce(&mut Window) -> R) -> Option<R> {
    WINDOWS.with(|windows| windows.values_mut().find(|w| w.number == number).map(f))
}

/// Memory that is shared, by the window it belongs to. Attached memory goes by its own.
static REGIONS: Shared<Vec<(u32, Region)>> = Shared::new();

/// Tells the rank which memory is shared now.
fn share(call: &mut Call) {
    let mut all: Vec<Region> = REGIONS.with(|regions| regions.iter().map(|&(_, region)| region).collect());
    all.retain(|r| r.start < r.end);
    all.sort_by_key(|r| (r.start, r.end));
    // Own parts may overlap: they name the same addresses anyway.
    all.dedup_by(|next, kept| {
        let joins = next.owner == kept.owner
            && next.segment == kept.segment
            && next.segment == Segment::Private
            && next.start <= kept.end;
        if joins {
            kept.end = kept.end.max(next.end);
        }
        joins
    });
    call.o.session.rank().share(call.o.recorder, Regions::new(all));
}

fn own(me: Rank, start: u64, size: u64) -> Region {
    Region { start, end: start.saturating_add(size), owner: me, segment: Segment::Private, offset: start }
}

/// What the program said about a new window.
struct New {
    base: u64,
    size: u64,
    unit: i64,
    addressing: Addressing,
    shared: bool,
    comm: MPI_Comm,
}

/// Which of how many members of a communicator this process is.
fn seat(comm: MPI_Comm) -> (c_int, c_int) {
    let (mut rank, mut size) = (0, 0);
    // SAFETY: asks about a communicator that the library knows, with variables of our own.
    unsafe {
        mpi_sys::PMPI_Comm_rank(comm, &raw mut rank);
        mpi_sys::PMPI_Comm_size(comm, &raw mut size);
    }
    (rank, size)
}

/// How many windows this process has numbered.
static NUMBERED: AtomicU32 = AtomicU32::new(0);

/// Agrees on a number, and on whether displacements are counted alike and all memory is its rank's own: only if not, everybody learns of
/// everybody.
fn agree(comm: MPI_Comm, rank: c_int, size: c_int, unit: i64, pieces: &[Piece]) -> (u32, Units, Vec<Pieces>) {
    // SAFETY: a constant of the library.
    let (me, world) = seat(unsafe { mpi_sys::RSMPI_COMM_WORLD });
    let mine = if rank == 0 { NUMBERED.fetch_add(1, Ordering::Relaxed) * world as u32 + me as u32 + 1 } else { 0 };
    let say = [unit, -unit, i64::from(mine), pieces.len() as i64];
    let mut heard = say;
    // SAFETY: all members of the communicator are here, with arrays of this length.
    inside(|| unsafe {
        let (ty, op) = (mpi_sys::RSMPI_INT64_T, mpi_sys::RSMPI_MAX);
        mpi_sys::PMPI_Allreduce(say.as_ptr().cast(), heard.as_mut_ptr().cast(), 4, ty, op, comm);
    });
    let number = heard[2] as u32;
    let most = heard[3] as usize;
    let elsewhere = if most == 0 { Vec::new() } else { elsewhere::exchange(comm, size, pieces, most) };
    if heard[0] == -heard[1] {
        return (number, Units::Same(heard[0].max(0) as u64), elsewhere);
    }
    let mut units = vec![0i64; size.max(0) as usize];
    // SAFETY: as above; there is room for one number of each member.
    inside(|| unsafe {
        let ty = mpi_sys::RSMPI_INT64_T;
        mpi_sys::PMPI_Allgather(say.as_ptr().cast(), 1, ty, units.as_mut_ptr().cast(), 1, ty, comm);
    });
    (number, Units::Each(units.into_iter().map(|u| u.max(0) as u64).collect()), elsewhere)
}

/// What an info object says about a key.
pub fn said(info: MPI_Info, key: &std::ffi::CStr) -> Option<String> {
    // SAFETY: a constant of the library.
    // No object at all is the program's mistake: the call that it was given to says so, and not one of ours before it.
    if raw(info) == 0 || raw(info) == raw(unsafe { mpi_sys::RSMPI_INFO_NULL }) {
        return None;
    }
    let mut value = [0u8; 256];
    let mut there = 0;
    // SAFETY: the value has room for the length that is given and its end.
    unsafe {
        let at: *mut c_char = value.as_mut_ptr().cast();
        mpi_sys::PMPI_Info_get(info, key.as_ptr().cast_mut(), 255, at, &raw mut there);
    }
    let len = value.iter().position(|&b| b == 0).unwrap_or(0);
    (there != 0).then(|| String::from_utf8_lossy(&value[..len]).into_owned())
}

/// What is said about accumulates. MPICH cuts the values to pieces when it makes a window: they are read before that.
struct Hints {
    ordered: Option<Ordered>,
    reading_goes_with_all: Option<bool>,
}

impl Hints {
    fn of(info: MPI_Info) -> Self {
        Self {
            ordered: said(info, c"accumulate_ordering").map(|order| Ordered::said(&order)),
            reading_goes_with_all: said(info, c"accumulate_ops").map(|ops| ops.trim() != "same_op"),
        }
    }

    fn apply(&self, window: &mut Window) {
        window.ordered = self.ordered.unwrap_or(window.ordered);
        window.reading_goes_with_all = self.reading_goes_with_all.unwrap_or(window.reading_goes_with_all);
    }
}

/// A window was made: everybody agrees on its number, and its memory is shared from now on.
fn made(call: &mut Call, win: MPI_Win, new: &New, hints: &Hints) {
    let (rank, size) = seat(new.comm);
    // SAFETY: asks about a handle that the library has just given, with a variable of our own.
    let group = unsafe {
        let mut group: MPI_Group = mpi_sys::RSMPI_GROUP_EMPTY;
        mpi_sys::PMPI_Win_get_group(win, &raw mut group);
        group
    };
    let me = call.me();
    let (pieces, own_memory) = PARTS.with(|parts| elsewhere::apart(me, new.base, new.size, parts));
    let (number, units, elsewhere) = agree(new.comm, rank, size, new.unit, &pieces);
    let mut window = Window {
        number,
        addressing: new.addressing,
        members: Members::of(group),
        rank,
        size,
        shared: new.shared,
        global: is_global(size, false),
        units,
        elsewhere,
        partners: FxHashMap::default(),
        pending: Vec::new(),
        collectives: 0,
        openings: 0,
        opening: None,
        met: FxHashSet::default(),
        locks: FxHashMap::default(),
        lock_all: None,
        started: Vec::new(),
        posted: Vec::new(),
        epochs: FxHashMap::default(),
        ordered: Ordered::STRICTLY,
        reading_goes_with_all: true,
    };
    hints.apply(&mut window);
    if new.addressing == Addressing::Offsets {
        let pc = call.o.pc;
        call.o.session.rank().window(number, new.base);
        confirm::window(number, new.base);
        confirm::object(new.base, new.size);
        let regions = own_memory.into_iter().map(|(start, end)| (number, own(me, start, end - start)));
        REGIONS.with(|all| all.extend(regions));
        if new.size > 0 {
            call.o.session.allocated(Segment::Private, new.base, new.size, pc);
        }
    }
    if new.shared {
        others_parts(&mut window, win);
    }
    WINDOWS.with(|windows| windows.insert(raw(win), window));
    share(call);
}

/// The others' parts of a shared window are in this process's address space.
fn others_parts(window: &mut Window, win: MPI_Win) {
    let (all, mine) = (window.size, window.rank);
    for rank in 0..all {
        let (mut size, mut unit, mut base): (MPI_Aint, c_int, *mut c_void) = (0, 0, std::ptr::null_mut());
        // SAFETY: asks about a shared window, with variables of our own.
        let result =
            unsafe { mpi_sys::PMPI_Win_shared_query(win, rank, &raw mut size, &raw mut unit, (&raw mut base).cast()) };
        if let (SUCCESS, Some(owner), true) = (result, window.world_rank(rank), size > 0) {
            let (start, segment) = (base as u64, Segment::Window(window.number));
            let region = Region { start, end: start.saturating_add(size as u64), owner, segment, offset: 0 };
            if rank != mine {
                REGIONS.with(|regions| regions.push((window.number, region)));
            }
            PARTS.with(|parts| parts.push((window.number, region)));
            ANY_PARTS.store(true, Ordering::Release);
        }
    }
}

/// All parts of shared windows, this process's own among them, as all processes name them.
static PARTS: Shared<Vec<(u32, Region)>> = Shared::new();

/// Whether there are any.
static ANY_PARTS: AtomicBool = AtomicBool::new(false);

/// Whether there is memory that several processes reach by their own instructions.
pub fn any_between_processes() -> bool {
    ANY_PARTS.load(Ordering::Acquire)
}

/// The word at an address that several processes reach by their own instructions.
pub fn reached_by_many(address: u64) -> Option<Word> {
    if !any_between_processes() {
        return None;
    }
    PARTS.with(|parts| {
        let (_, part) = parts.iter().find(|(_, part)| (part.start..part.end).contains(&address))?;
        Some(Word { owner: part.owner, segment: part.segment, offset: address - part.start })
    })
}

/// Runs a call that makes a window. It is collective, and everybody learns of everybody's memory in it.
fn making(
    comm: MPI_Comm,
    info: MPI_Info,
    win: *mut MPI_Win,
    real: impl FnOnce() -> c_int,
    new: impl FnOnce() -> New,
) -> c_int {
    let Some(mut call) = call() else {
        let says_its_part = is_given_up();
        let result = real();
        if says_its_part && result == SUCCESS {
            let (rank, size) = seat(comm);
            unobserved(|| agree(comm, rank, size, new().unit, &[]));
        }
        return result;
    };
    let global = comms::about(comm).is_some_and(|c| c.global);
    let token = if global { None } else { comms::next_collective(comm) };
    match token {
        None => call.enter_barrier(),
        Some(token) => call.release(token),
    }
    let hints = Hints::of(info);
    let result = real();
    if result == SUCCESS {
        // SAFETY: the library has written the handle.
        made(&mut call, unsafe { *win }, &new(), &hints);
    }
    match token {
        None => call.leave_barrier(),
        Some(token) => call.hear(token),
    }
    result
}

/// The address that the library wrote where the program wants it.
fn written(base: *const c_void) -> u64 {
    // SAFETY: the program passes the address of a pointer, which the library has written.
    unsafe { *base.cast::<*const c_void>() as u64 }
}

// SAFETY (all rows): each body forwards the program's own arguments.
/// The calls that take a displacement unit, with its type and how their names end.
macro_rules! with_unit {
    ($n:ty $(, $c:ident)?) => { pastey::paste! { calls! {
    fn [<Win_create $($c)?>](base: *mut c_void, size: MPI_Aint, unit: $n, info: MPI_Info, comm: MPI_Comm, win: *mut MPI_Win), real => {
        making(comm, info, win, real, || {
            New { base: base as u64, size: size as u64, unit: unit.into(), addressing: Addressing::Offsets, shared: false, comm }
        })
    }
    fn [<Win_allocate $($c)?>](size: MPI_Aint, unit: $n, info: MPI_Info, comm: MPI_Comm, base: *mut c_void, win: *mut MPI_Win), real => {
        making(comm, info, win, real, || {
            New { base: written(base), size: size as u64, unit: unit.into(), addressing: Addressing::Offsets, shared: false, comm }
        })
    }
    fn [<Win_allocate_shared $($c)?>](
        size: MPI_Aint, unit: $n, info: MPI_Info, comm: MPI_Comm, base: *mut c_void, win: *mut MPI_Win,
    ), real => {
        making(comm, info, win, real, || {
            New { base: written(base), size: size as u64, unit: unit.into(), addressing: Addressing::Offsets, shared: true, comm }
        })
    }
    } } };
}
with_unit! { c_int }
with_unit! { i64, _c }

calls! {
    fn Win_create_dynamic(info: MPI_Info, comm: MPI_Comm, win: *mut MPI_Win), real => {
        making(comm, info, win, real, || {
            New { base: 0, size: 0, unit: 1, addressing: Addressing::Addresses, shared: false, comm }
        })
    }
    fn Win_attach(win: MPI_Win, base: *mut c_void, size: MPI_Aint), real => {
        let call = call();
        let result = real();
        if let (Some(mut call), SUCCESS, Some(number)) = (call, result, window(win, |w| w.number)) {
            let (me, pc) = (call.me(), call.o.pc);
            REGIONS.with(|regions| regions.push((number, own(me, base as u64, size as u64))));
            confirm::object(base as u64, size as u64);
            call.o.session.allocated(Segment::Private, base as u64, size as u64, pc);
            share(&mut call);
        }
        result
    }
    fn Win_detach(win: MPI_Win, base: *const c_void), real => {
        let call = call();
        if let (Some(mut call), Some(number)) = (call, window(win, |w| w.number)) {
            REGIONS.with(|regions| regions.retain(|(n, r)| *n != number || r.start != base as u64));
            share(&mut call);
            let result = real();
            drop(call);
            return result;
        }
        real()
    }
    fn Win_set_info(win: MPI_Win, info: MPI_Info), real => {
        let call = call();
        if call.is_some() {
            let hints = Hints::of(info);
            window(win, |w| hints.apply(w));
        }
        real()
    }
    fn Win_free(win: *mut MPI_Win), real => {
        let Some(mut call) = call().filter(|_| !win.is_null()) else { return real() };
        // SAFETY: the program's handle.
        let handle = unsafe { *win };
        crate::mpi::epochs::complete_all(&mut call, handle);
        let token = window(handle, |w| if w.global { None } else { Some(w.next_collective()) });
        match token {
            Some(Some(token)) => call.release(token),
            Some(None) => call.enter_barrier(),
            None => {}
        }
        let result = real();
        match token {
            Some(Some(token)) => call.hear(token),
            Some(None) => call.leave_barrier(),
            None => {}
        }
        if result == SUCCESS && let Some(gone) = WINDOWS.with(|windows| windows.remove(&raw(handle))) {
            REGIONS.with(|regions| regions.retain(|(n, _)| *n != gone.number));
            PARTS.with(|parts| parts.retain(|(n, _)| *n != gone.number));
            share(&mut call);
        }
        result
    }
}
