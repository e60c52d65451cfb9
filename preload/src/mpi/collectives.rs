//! Collectives: whose doings before come before whose after, and which buffers are used.
//!
//! | flow | calls |
//! |---|---|
//! | all to all | barrier, allreduce, allgather, alltoall, `reduce_scatter` |
//! | root to all | bcast, scatter |
//! | all to root | reduce, gather |
//! | each to those behind it | scan, exscan |
//!
//! A blocking one of all with all over the whole world is a global barrier. A nonblocking one releases when it is called and acquires when
//! its request is complete. One that moves no data need not wait for anybody, and orders nothing.

use crate::mpi::call::{Buffer, Call, SUCCESS, call, calls, in_place, scope};
use crate::mpi::comms::{self, About};
use crate::mpi::datatypes::layout;
use crate::mpi::requests::{self, Pending};
use mpi_sys::{MPI_Aint, MPI_Comm, MPI_Datatype, MPI_Op, MPI_Request};
use std::ffi::{c_int, c_void};
use thrille_model::{Act, Kind, Token};

/// Who comes before whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    AllToAll,
    RootToAll(c_int),
    AllToRoot(c_int),
    /// By rank.
    Chain,
}

/// What this process does.
struct Part {
    releases: Vec<Token>,
    acquires: Vec<Token>,
}

/// The token of the link of a chain behind this rank.
fn link(group: u64, seq: u64, rank: c_int) -> Token {
    // Links of one collective differ in the group: its own hash, stirred by the rank.
    let stirred = (rank as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 2;
    Token::Collective { group: group ^ stirred, seq }
}

/// Whether this process is the root; in an intercommunicator the root's own group takes no part, but for the root itself.
fn is_root(about: &About, root: c_int) -> bool {
    if about.inter { root == mpi_sys::MPI_ROOT } else { root == about.rank }
}

fn bystander(about: &About, root: c_int) -> bool {
    about.inter && root == mpi_sys::MPI_PROC_NULL
}

fn part(flow: Flow, about: &About, token: Token) -> Part {
    let (releases, acquires) = match flow {
        Flow::AllToAll => (true, true),
        Flow::RootToAll(root) if bystander(about, root) => (false, false),
        Flow::AllToRoot(root) if bystander(about, root) => (false, false),
        Flow::RootToAll(root) => (is_root(about, root), !is_root(about, root)),
        Flow::AllToRoot(root) => (!is_root(about, root), is_root(about, root)),
        Flow::Chain => {
            let Token::Collective { group, seq } = token else {
                return Part { releases: Vec::new(), acquires: Vec::new() };
            };
            let (rank, last) = (about.rank, about.size - 1);
            return Part {
                releases: (rank < last).then(|| link(group, seq, rank)).into_iter().collect(),
                acquires: (rank > 0).then(|| link(group, seq, rank - 1)).into_iter().collect(),
            };
        }
    };
    let list = |does: bool| if does { vec![token] } else { Vec::new() };
    Part { releases: list(releases), acquires: list(acquires) }
}

/// A blocking collective.
pub fn collective(
    comm: MPI_Comm,
    flow: Flow,
    buffers: impl FnOnce(&About) -> Option<Vec<Buffer>>,
    real: impl FnOnce() -> c_int,
) -> c_int {
    let Some(mut call) = call() else { return real() };
    let Some(about) = comms::about(comm) else { return real() };
    let Some(buffers) = buffers(&about) else { return real() };
    let (reads, writes): (Vec<Buffer>, Vec<Buffer>) = buffers.into_iter().partition(|b| b.kind == Kind::Read);
    // Who has the result knows that what went into it was read.
    for buffer in &reads {
        call.touch(buffer);
    }
    let global = about.global && flow == Flow::AllToAll;
    let part = if global { None } else { comms::next_collective(comm).map(|token| part(flow, &about, token)) };
    match &part {
        None => call.enter_barrier(),
        Some(part) if flow != Flow::Chain => part.releases.iter().for_each(|&t| call.release(t)),
        Some(_) => {}
    }
    for buffer in &writes {
        call.touch(buffer);
    }
    let result = real();
    match &part {
        None => call.leave_barrier(),
        Some(part) => {
            part.acquires.iter().for_each(|&t| call.acquire(t));
            if flow == Flow::Chain {
                // What came from before goes on to those behind.
                part.releases.iter().for_each(|&t| call.release(t));
            }
        }
    }
    result
}

/// A nonblocking collective.
pub fn icollective(
    comm: MPI_Comm,
    flow: Flow,
    buffers: impl FnOnce(&About) -> Option<Vec<Buffer>>,
    request: *mut MPI_Request,
    real: impl FnOnce() -> c_int,
) -> c_int {
    let Some(mut call) = call() else { return real() };
    let Some(about) = comms::about(comm) else { return real() };
    let Some(buffers) = buffers(&about) else { return real() };
    let part = comms::next_collective(comm).map(|token| part(flow, &about, token));
    let mut pending = Pending::default();
    if let Some(part) = part {
        part.releases.iter().for_each(|&t| call.release(t));
        pending.tokens = part.acquires;
    }
    begin(&mut call, &buffers, &mut pending);
    let result = real();
    if result == SUCCESS {
        requests::add(request, pending);
    }
    result
}

/// The buffers of a nonblocking operation are used until its request is complete.
pub fn begin(call: &mut Call, buffers: &[Buffer], pending: &mut Pending) {
    if !buffers.is_empty() {
        let ctx = scope();
        call.issue();
        for buffer in buffers {
            call.near(buffer, ctx);
        }
        pending.scopes.push(ctx);
    }
}

/// The buffers of one call, gathered.
pub struct Buffers(Vec<Buffer>);

impl Buffers {
    pub fn new() -> Self {
        Self(Vec::new())
    }

    fn add(mut self, at: *const c_void, count: i64, ty: MPI_Datatype, kind: Kind) -> Self {
        if !in_place(at) && count > 0 {
            let buffer = Buffer { at: at as u64, count: count as u64, layout: layout(ty), kind, act: Act::Collective };
            self.0.push(buffer);
        }
        self
    }

    /// Elements that are read.
    pub fn reads(self, at: *const c_void, count: c_int, ty: MPI_Datatype) -> Self {
        self.add(at, i64::from(count), ty, Kind::Read)
    }

    /// Elements that are written.
    pub fn writes(self, at: *const c_void, count: c_int, ty: MPI_Datatype) -> Self {
        self.add(at, i64::from(count), ty, Kind::Write)
    }

    /// The same in blocks, one for each of `n`.
    pub fn reads_of(self, n: c_int, at: *const c_void, count: c_int, ty: MPI_Datatype) -> Self {
        self.add(at, i64::from(count) * i64::from(n), ty, Kind::Read)
    }

    /// The same in blocks, one for each of `n`.
    pub fn writes_of(self, n: c_int, at: *const c_void, count: c_int, ty: MPI_Datatype) -> Self {
        self.add(at, i64::from(count) * i64::from(n), ty, Kind::Write)
    }

    /// Blocks of their own sizes, at displacements in elements.
    #[allow(clippy::unnecessary_cast, reason = "the libraries have different types for displacements")]
    pub fn blocks(
        mut self,
        n: c_int,
        at: *const c_void,
        counts: *const c_int,
        shifts: *const c_int,
        ty: MPI_Datatype,
        kind: Kind,
    ) -> Self {
        if in_place(at) {
            return self;
        }
        let (mut lb, mut extent): (MPI_Aint, MPI_Aint) = (0, 0);
        // SAFETY: asks about the handle that the program passes to the library.
        unsafe { mpi_sys::PMPI_Type_get_extent(ty, &raw mut lb, &raw mut extent) };
        for i in 0..n.max(0) as usize {
            // SAFETY: the program's arrays have as many elements as there are members.
            let (count, shift) = unsafe { (*counts.add(i), *shifts.add(i)) };
            self = self.add(at.wrapping_byte_offset(shift as isize * extent as isize), i64::from(count), ty, kind);
        }
        self
    }

    /// Blocks of their own sizes and types, at displacements in bytes.
    pub fn typed_blocks<D: Copy + TryInto<isize>>(
        mut self,
        n: c_int,
        at: *const c_void,
        counts: *const c_int,
        shifts: *const D,
        types: *const MPI_Datatype,
        kind: Kind,
    ) -> Self {
        if in_place(at) {
            return self;
        }
        for i in 0..n.max(0) as usize {
            // SAFETY: the program's arrays have as many elements as there are members.
            let (count, shift, ty) = unsafe { (*counts.add(i), *shifts.add(i), *types.add(i)) };
            if count > 0 {
                self = self.add(at.wrapping_byte_offset(shift.try_into().unwrap_or(0)), i64::from(count), ty, kind);
            }
        }
        self
    }

    /// All of them.
    #[allow(clippy::unnecessary_wraps, reason = "as `unless_empty`, which it stands beside")]
    pub fn done(self) -> Option<Vec<Buffer>> {
        Some(self.0)
    }

    /// All of them, if there is anything in them: all members agree on that.
    fn unless_empty(self, count: c_int, ty: MPI_Datatype) -> Option<Vec<Buffer>> {
        (count > 0 && layout(ty).size > 0).then_some(self.0)
    }
}

/// How many elements members of a reduction get in all.
fn total(counts: *const c_int, n: c_int) -> c_int {
    // SAFETY: the program's array has as many elements as there are members.
    (0..n.max(0) as usize).map(|i| unsafe { *counts.add(i) }).sum()
}

// SAFETY (all rows): each body forwards the program's own arguments.
macro_rules! both {
    ($( $name:ident $nonblocking:ident ( $($arg:ident : $ty:ty),* ) on $comm:ident : $flow:expr, |$about:ident| $buffers:expr; )*) => { calls! { $(
        fn $name($($arg: $ty),*), real => { collective($comm, $flow, |$about| $buffers, real) }
        fn $nonblocking($($arg: $ty,)* request: *mut MPI_Request), real => {
            icollective($comm, $flow, |$about| $buffers, request, real)
        }
    )* } };
}

both! {
    Barrier Ibarrier (comm: MPI_Comm) on comm: Flow::AllToAll, |_about| Buffers::new().done();
    Bcast Ibcast (at: *mut c_void, n: c_int, ty: MPI_Datatype, root: c_int, comm: MPI_Comm) on comm: Flow::RootToAll(root), |about| {
        let buffers = Buffers::new();
        let buffers = if bystander(about, root) {
            buffers
        } else if is_root(about, root) {
            buffers.reads(at, n, ty)
        } else {
            buffers.writes(at, n, ty)
        };
        buffers.unless_empty(n, ty)
    };
    Reduce Ireduce (from: *const c_void, into: *mut c_void, n: c_int, ty: MPI_Datatype, op: MPI_Op, root: c_int, comm: MPI_Comm) on comm:
        Flow::AllToRoot(root), |about| {
        let buffers = Buffers::new();
        let buffers = match (bystander(about, root), is_root(about, root)) {
            (true, _) => buffers,
            (_, true) if about.inter => buffers.writes(into, n, ty),
            (_, true) => buffers.reads(from, n, ty).writes(into, n, ty),
            (_, false) => buffers.reads(from, n, ty),
        };
        buffers.unless_empty(n, ty)
    };
    Allreduce Iallreduce (from: *const c_void, into: *mut c_void, n: c_int, ty: MPI_Datatype, op: MPI_Op, comm: MPI_Comm) on comm:
        Flow::AllToAll, |_about| Buffers::new().reads(from, n, ty).writes(into, n, ty).unless_empty(n, ty);
    Scan Iscan (from: *const c_void, into: *mut c_void, n: c_int, ty: MPI_Datatype, op: MPI_Op, comm: MPI_Comm) on comm:
        Flow::Chain, |_about| Buffers::new().reads(from, n, ty).writes(into, n, ty).unless_empty(n, ty);
    Exscan Iexscan (from: *const c_void, into: *mut c_void, n: c_int, ty: MPI_Datatype, op: MPI_Op, comm: MPI_Comm) on comm:
        Flow::Chain, |about| {
        let buffers = Buffers::new().reads(from, n, ty);
        // The first one's result is undefined, and its buffer not touched.
        let buffers = if about.rank == 0 { buffers } else { buffers.writes(into, n, ty) };
        buffers.unless_empty(n, ty)
    };
    Reduce_scatter Ireduce_scatter (from: *const c_void, into: *mut c_void, counts: *const c_int, ty: MPI_Datatype, op: MPI_Op, comm: MPI_Comm) on comm:
        Flow::AllToAll, |about| {
        let all = total(counts, about.size);
        // SAFETY: the program's array has as many elements as there are members.
        let mine = unsafe { *counts.add(about.rank.max(0) as usize) };
        Buffers::new().reads(from, all, ty).writes(into, if in_place(from) { all } else { mine }, ty).unless_empty(all, ty)
    };
    Reduce_scatter_block Ireduce_scatter_block (from: *const c_void, into: *mut c_void, n: c_int, ty: MPI_Datatype, op: MPI_Op, comm: MPI_Comm) on comm:
        Flow::AllToAll, |about| {
        let blocks = if in_place(from) { about.size } else { 1 };
        Buffers::new().reads_of(about.size, from, n, ty).writes_of(blocks, into, n, ty).unless_empty(n, ty)
    };
    Gather Igather (from: *const c_void, n: c_int, ty: MPI_Datatype, into: *mut c_void, m: c_int, into_ty: MPI_Datatype, root: c_int, comm: MPI_Comm) on comm:
        Flow::AllToRoot(root), |about| {
        let buffers = Buffers::new();
        match (bystander(about, root), is_root(about, root)) {
            (true, _) => buffers.done(),
            (_, true) if about.inter => buffers.writes_of(about.peers, into, m, into_ty).unless_empty(m, into_ty),
            (_, true) => buffers.reads(from, n, ty).writes_of(about.peers, into, m, into_ty).unless_empty(m, into_ty),
            (_, false) => buffers.reads(from, n, ty).unless_empty(n, ty),
        }
    };
    Gatherv Igatherv (from: *const c_void, n: c_int, ty: MPI_Datatype, into: *mut c_void, counts: *const c_int, shifts: *const c_int, into_ty: MPI_Datatype, root: c_int, comm: MPI_Comm) on comm:
        Flow::AllToRoot(root), |about| {
        let buffers = Buffers::new();
        match (bystander(about, root), is_root(about, root)) {
            (true, _) => buffers,
            (_, true) if about.inter => buffers.blocks(about.peers, into, counts, shifts, into_ty, Kind::Write),
            (_, true) => buffers.reads(from, n, ty).blocks(about.peers, into, counts, shifts, into_ty, Kind::Write),
            (_, false) => buffers.reads(from, n, ty),
        }.done()
    };
    Scatter Iscatter (from: *const c_void, n: c_int, ty: MPI_Datatype, into: *mut c_void, m: c_int, into_ty: MPI_Datatype, root: c_int, comm: MPI_Comm) on comm:
        Flow::RootToAll(root), |about| {
        let buffers = Buffers::new();
        match (bystander(about, root), is_root(about, root)) {
            (true, _) => buffers.done(),
            (_, true) if about.inter => buffers.reads_of(about.peers, from, n, ty).unless_empty(n, ty),
            (_, true) => buffers.reads_of(about.peers, from, n, ty).writes(into, m, into_ty).unless_empty(n, ty),
            (_, false) => buffers.writes(into, m, into_ty).unless_empty(m, into_ty),
        }
    };
    Scatterv Iscatterv (from: *const c_void, counts: *const c_int, shifts: *const c_int, ty: MPI_Datatype, into: *mut c_void, m: c_int, into_ty: MPI_Datatype, root: c_int, comm: MPI_Comm) on comm:
        Flow::RootToAll(root), |about| {
        let buffers = Buffers::new();
        match (bystander(about, root), is_root(about, root)) {
            (true, _) => buffers,
            (_, true) if about.inter => buffers.blocks(about.peers, from, counts, shifts, ty, Kind::Read),
            (_, true) => buffers.blocks(about.peers, from, counts, shifts, ty, Kind::Read).writes(into, m, into_ty),
            (_, false) => buffers.writes(into, m, into_ty),
        }.done()
    };
    Allgather Iallgather (from: *const c_void, n: c_int, ty: MPI_Datatype, into: *mut c_void, m: c_int, into_ty: MPI_Datatype, comm: MPI_Comm) on comm:
        Flow::AllToAll, |about| Buffers::new().reads(from, n, ty).writes_of(about.peers, into, m, into_ty).unless_empty(m, into_ty);
    Allgatherv Iallgatherv (from: *const c_void, n: c_int, ty: MPI_Datatype, into: *mut c_void, counts: *const c_int, shifts: *const c_int, into_ty: MPI_Datatype, comm: MPI_Comm) on comm:
        Flow::AllToAll, |about| Buffers::new().reads(from, n, ty).blocks(about.peers, into, counts, shifts, into_ty, Kind::Write).done();
    Alltoall Ialltoall (from: *const c_void, n: c_int, ty: MPI_Datatype, into: *mut c_void, m: c_int, into_ty: MPI_Datatype, comm: MPI_Comm) on comm:
        Flow::AllToAll, |about| {
        Buffers::new().reads_of(about.peers, from, n, ty).writes_of(about.peers, into, m, into_ty).unless_empty(m, into_ty)
    };
    Alltoallv Ialltoallv (from: *const c_void, n: *const c_int, at: *const c_int, ty: MPI_Datatype, into: *mut c_void, m: *const c_int, into_at: *const c_int, into_ty: MPI_Datatype, comm: MPI_Comm) on comm:
        Flow::AllToAll, |about| {
        let peers = about.peers;
        Buffers::new().blocks(peers, from, n, at, ty, Kind::Read).blocks(peers, into, m, into_at, into_ty, Kind::Write).done()
    };
    Alltoallw Ialltoallw (from: *const c_void, n: *const c_int, at: *const c_int, ty: *const MPI_Datatype, into: *mut c_void, m: *const c_int, into_at: *const c_int, into_ty: *const MPI_Datatype, comm: MPI_Comm) on comm:
        Flow::AllToAll, |about| {
        let peers = about.peers;
        Buffers::new().typed_blocks(peers, from, n, at, ty, Kind::Read).typed_blocks(peers, into, m, into_at, into_ty, Kind::Write).done()
    };
}
