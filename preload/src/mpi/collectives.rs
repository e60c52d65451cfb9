//! Collectives: how they order their members, and which buffers are used. Whose doings before come before whose after is a [`Flow`].
//!
//! A blocking one of all with all over the whole world is a global barrier; whether alltoallv is one the members ask each other. A nonblocking one releases
//! when it is called and acquires when its request is complete. One that moves no data need not wait for anybody, and orders nothing; nor does one between the root and who has no part in it.

use crate::mpi::call::{Buffer, Call, SUCCESS, call, calls, has_ended, in_place, is_given_up, scope};
use crate::mpi::callbacks;
use crate::mpi::comms::{self, About};
use crate::mpi::datatypes::layout;
use crate::mpi::echo;
use crate::mpi::flow::{Flow, Part, any, bystander, counted, counted_each, is_root, link};
use crate::mpi::p2p::Repeat;
use crate::mpi::requests::{self, Pending};
use crate::rank::unobserved;
use mpi_sys::{MPI_Aint, MPI_Comm, MPI_Count, MPI_Datatype, MPI_Info, MPI_Op, MPI_Request};
use std::ffi::{c_int, c_void};
use thrille_model::{Act, Kind, Token};

/// A blocking collective.
pub fn collective(
    comm: MPI_Comm,
    what: impl FnOnce(&About) -> (Flow, Option<Vec<Buffer>>),
    real: impl FnOnce() -> c_int,
) -> c_int {
    let Some(mut call) = call() else {
        if is_given_up()
            && let Some(about) = comms::about(comm).filter(|about| about.global)
            && let (flow, Some(_)) = what(&about)
        {
            unobserved(|| flow.agreed(&about, comm));
        }
        return real();
    };
    let Some(about) = comms::about(comm) else { return real() };
    let (mut flow, Some(buffers)) = what(&about) else {
        count_empty(comm, &about);
        return real();
    };
    if about.global {
        flow = flow.agreed(&about, comm);
    }
    // Who has the result knows that what went into it was read.
    for buffer in buffers.iter().filter(|b| b.kind == Kind::Read) {
        call.touch(buffer);
    }
    let global = about.global && flow == Flow::AllToAll;
    let part = if global {
        None
    } else {
        comms::next_collective(comm).map(|token| Part::of(&flow, &about, token, &buffers, call.me()))
    };
    match &part {
        None => call.enter_barrier(),
        Some(part) if flow != Flow::Chain => part.releases.iter().for_each(|&t| call.release(t)),
        Some(_) => {}
    }
    // A member of a chain releases when it returns, but its own result may still be on its way when those behind it go on.
    let written = (flow == Flow::Chain).then(scope);
    if written.is_some() {
        call.issue();
    }
    for buffer in buffers.iter().filter(|b| b.kind != Kind::Read) {
        match written {
            None => call.touch(buffer),
            Some(ctx) => call.near(buffer, ctx),
        }
    }
    let (result, combined) = callbacks::combining(real);
    match &part {
        None => {
            call.leave_barrier();
            if buffers.is_empty() {
                echo::begin_barrier(&mut call.o, comm);
            }
        }
        Some(_) if !has_ended(result) => comms::counts(comm, result),
        Some(part) => {
            part.acquires.iter().for_each(|&t| call.hear(t));
            if flow == Flow::Chain || combined && part.acquires.is_empty() {
                // What came from before goes on to those behind, and what the program's operator did on the way to the root to that.
                part.releases.iter().for_each(|&t| call.release(t));
            }
        }
    }
    if let Some(ctx) = written {
        call.quiet(ctx);
    }
    result
}

/// One that moves no data. Whoever has no part in one of an intercommunicator cannot know that: all count it.
fn count_empty(comm: MPI_Comm, about: &About) {
    if about.inter {
        comms::next_collective(comm);
    }
}

/// A nonblocking collective.
pub fn icollective(
    comm: MPI_Comm,
    what: impl FnOnce(&About) -> (Flow, Option<Vec<Buffer>>),
    request: *mut MPI_Request,
    real: impl FnOnce() -> c_int,
) -> c_int {
    let Some(mut call) = call() else { return real() };
    let Some(about) = comms::about(comm) else { return real() };
    let (flow, Some(buffers)) = what(&about) else {
        count_empty(comm, &about);
        let result = real();
        requests::nothing(request, result);
        return result;
    };
    callbacks::may_combine_later();
    let mut pending = Pending::default();
    if let Some(token) = comms::next_collective(comm) {
        pending = start(&mut call, &flow, &about, token, &buffers);
    }
    let result = real();
    comms::counts(comm, result);
    requests::begun(&mut call, request, pending, result);
    result
}

/// A nonblocking collective begins.
fn start(call: &mut Call, flow: &Flow, about: &About, token: Token, buffers: &[Buffer]) -> Pending {
    let part = Part::of(flow, about, token, buffers, call.me());
    part.releases.iter().for_each(|&t| call.release(t));
    let mut pending = Pending { tokens: part.acquires, ..Pending::default() };
    if let (Flow::Chain, Token::Collective { group, seq }) = (flow, token) {
        // Nobody hands on what comes from before: each has released at once.
        pending.tokens = (0..about.rank).map(|rank| link(group, seq, rank)).collect();
    }
    begin(call, buffers, &mut pending);
    pending
}

/// A persistent collective: the n-th start of it on one rank goes with the n-th on the others.
#[derive(Clone, Debug)]
pub struct Recurring {
    flow: Flow,
    about: About,
    group: u64,
    buffers: Vec<Buffer>,
}

/// It is started for the n-th time.
pub fn again(call: &mut Call, recurring: &Recurring, n: u64) -> Pending {
    let Recurring { flow, about, group, buffers } = recurring;
    start(call, flow, about, Token::Collective { group: *group, seq: n }, buffers)
}

fn collective_init(
    comm: MPI_Comm,
    what: impl FnOnce(&About) -> (Flow, Option<Vec<Buffer>>),
    request: *mut MPI_Request,
    real: impl FnOnce() -> c_int,
) -> c_int {
    let call = call();
    callbacks::may_combine_later();
    let result = real();
    if call.is_some()
        && result == SUCCESS
        && let Some(about) = comms::about(comm)
        && let Some(group) = comms::recurring(comm)
        && let (flow, Some(buffers)) = what(&about)
    {
        requests::persist(request, Repeat::Collective(Recurring { flow, about, group, buffers }));
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
    pub fn reads(self, at: *const c_void, count: impl Into<i64>, ty: MPI_Datatype) -> Self {
        self.add(at, count.into(), ty, Kind::Read)
    }

    /// Elements that are written.
    pub fn writes(self, at: *const c_void, count: impl Into<i64>, ty: MPI_Datatype) -> Self {
        self.add(at, count.into(), ty, Kind::Write)
    }

    /// The same in blocks, one for each of `n`.
    pub fn reads_of(self, n: c_int, at: *const c_void, count: impl Into<i64>, ty: MPI_Datatype) -> Self {
        self.add(at, count.into() * i64::from(n), ty, Kind::Read)
    }

    /// The same in blocks, one for each of `n`.
    pub fn writes_of(self, n: c_int, at: *const c_void, count: impl Into<i64>, ty: MPI_Datatype) -> Self {
        self.add(at, count.into() * i64::from(n), ty, Kind::Write)
    }

    /// The blocks of all, side by side, but for the own one if that stays where it is: `own` says so.
    fn moves(
        self,
        about: &About,
        own: *const c_void,
        at: *const c_void,
        count: impl Into<i64>,
        ty: MPI_Datatype,
        kind: Kind,
    ) -> Self {
        let (count, peers) = (count.into(), i64::from(about.peers));
        if !in_place(own) {
            return self.add(at, peers * count, ty, kind);
        }
        let before = i64::from(about.rank);
        let behind = at.wrapping_byte_offset((before as isize + 1) * count as isize * extent(ty));
        self.add(at, before * count, ty, kind).add(behind, (peers - before - 1) * count, ty, kind)
    }

    /// Blocks of one size side by side, of those that are there.
    pub fn each(
        mut self,
        members: &[usize],
        at: *const c_void,
        count: impl Into<i64>,
        ty: MPI_Datatype,
        kind: Kind,
    ) -> Self {
        let count = count.into();
        let step = count as isize * extent(ty);
        for &i in members {
            self = self.add(at.wrapping_byte_offset(i as isize * step), count, ty, kind);
        }
        self
    }

    /// Blocks of their own sizes, at displacements in elements.
    pub fn blocks<N: Copy + Into<i64>, D: Copy + Into<i64>>(
        mut self,
        members: impl IntoIterator<Item = usize>,
        at: *const c_void,
        counts: *const N,
        shifts: *const D,
        ty: MPI_Datatype,
        kind: Kind,
    ) -> Self {
        if in_place(at) {
            return self;
        }
        let extent = extent(ty);
        for i in members {
            // SAFETY: the program's arrays have as many elements as there are members.
            let (count, shift) = unsafe { (*counts.add(i), *shifts.add(i)) };
            let shift = shift.into() as isize * extent;
            self = self.add(at.wrapping_byte_offset(shift), count.into(), ty, kind);
        }
        self
    }

    /// Blocks of their own sizes and types, at displacements in bytes.
    pub fn typed_blocks<N: Copy + Into<i64>, D: Copy + TryInto<isize>>(
        mut self,
        members: impl IntoIterator<Item = usize>,
        at: *const c_void,
        counts: *const N,
        shifts: *const D,
        types: *const MPI_Datatype,
        kind: Kind,
    ) -> Self {
        if in_place(at) {
            return self;
        }
        for i in members {
            // SAFETY: the program's arrays have as many elements as there are members.
            let (count, shift, ty) = unsafe { (*counts.add(i), *shifts.add(i), *types.add(i)) };
            if count.into() > 0 {
                self = self.add(at.wrapping_byte_offset(shift.try_into().unwrap_or(0)), count.into(), ty, kind);
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
    fn unless_empty(self, count: impl Into<i64>, ty: MPI_Datatype) -> Option<Vec<Buffer>> {
        (count.into() > 0 && layout(ty).size > 0).then_some(self.0)
    }
}

/// From one element of a type to the next, in bytes.
#[allow(clippy::unnecessary_cast, reason = "the libraries have different types for displacements")]
fn extent(ty: MPI_Datatype) -> isize {
    let (mut lb, mut extent): (MPI_Aint, MPI_Aint) = (0, 0);
    // SAFETY: asks about the handle that the program passes to the library.
    unsafe { mpi_sys::PMPI_Type_get_extent(ty, &raw mut lb, &raw mut extent) };
    extent as isize
}

/// Whose blocks move: all, but for the own one if that stays where it is.
fn moved(about: &About, own: *const c_void) -> impl Iterator<Item = usize> {
    let own = in_place(own).then_some(about.rank.max(0) as usize);
    about.everybody().filter(move |&member| Some(member) != own)
}

/// All to all; between two groups one of them may give nothing (5.7.1 of MPI-3.1). Whether it gives and gets is asked only then.
fn one_way(about: &About, ends: impl FnOnce() -> (bool, bool)) -> Flow {
    if !about.inter {
        return Flow::AllToAll;
    }
    let (gives, gets) = ends();
    Flow::GiversToGetters { gives, gets }
}

/// How many elements members of a reduction get in all.
fn total<N: Copy + Into<i64>>(counts: *const N, n: c_int) -> i64 {
    // SAFETY: the program's array has as many elements as there are members.
    (0..n.max(0) as usize).map(|i| unsafe { *counts.add(i) }.into()).sum()
}

// SAFETY (all rows): each body forwards the program's own arguments.
macro_rules! rows {
    ($( $name:ident $nonblocking:ident $persistent:ident ( $($arg:ident : $ty:ty),* ) on $comm:ident : $flow:expr, |$about:ident| $buffers:expr; )*) => { calls! { $(
        fn $name($($arg: $ty),*), real => { collective($comm, |$about| ($flow, $buffers), real) }
        fn $nonblocking($($arg: $ty,)* request: *mut MPI_Request), real => {
            icollective($comm, |$about| ($flow, $buffers), request, real)
        }
        fn $persistent($($arg: $ty,)* info: MPI_Info, request: *mut MPI_Request), real => {
            collective_init($comm, |$about| ($flow, $buffers), request, real)
        }
    )* } };
}

calls! {
    fn Barrier(comm: MPI_Comm), real => {
        echo::barrier(comm, real)
            .unwrap_or_else(|| collective(comm, |_| (Flow::AllToAll, Buffers::new().done()), real))
    }
    fn Ibarrier(comm: MPI_Comm, request: *mut MPI_Request), real => {
        icollective(comm, |_| (Flow::AllToAll, Buffers::new().done()), request, real)
    }
    fn Barrier_init(comm: MPI_Comm, info: MPI_Info, request: *mut MPI_Request), real => {
        collective_init(comm, |_| (Flow::AllToAll, Buffers::new().done()), request, real)
    }
}

/// The calls that count, with what they count in and what displacements are (`MPI_Aint` where counts are large), and how their names end.
macro_rules! counting {
    ($n:ty, $d:ty $(, $c:ident)?) => { pastey::paste! { rows! {
        [<Bcast $($c)?>] [<Ibcast $($c)?>] [<Bcast_init $($c)?>] (at: *mut c_void, n: $n, ty: MPI_Datatype, root: c_int, comm: MPI_Comm) on comm: Flow::RootToAll(root), |about| {
            let buffers = Buffers::new();
            // What a bystander passes for buffer, count and type says nothing.
            if bystander(about, root) {
                buffers.done()
            } else if is_root(about, root) {
                buffers.reads(at, n, ty).unless_empty(n, ty)
            } else {
                buffers.writes(at, n, ty).unless_empty(n, ty)
            }
        };
        [<Reduce $($c)?>] [<Ireduce $($c)?>] [<Reduce_init $($c)?>] (from: *const c_void, into: *mut c_void, n: $n, ty: MPI_Datatype, op: MPI_Op, root: c_int, comm: MPI_Comm) on comm:
            Flow::AllToRoot(root), |about| {
            let buffers = Buffers::new();
            match (bystander(about, root), is_root(about, root)) {
                (true, _) => buffers.done(),
                (_, true) if about.inter => buffers.writes(into, n, ty).unless_empty(n, ty),
                (_, true) => buffers.reads(from, n, ty).writes(into, n, ty).unless_empty(n, ty),
                (_, false) => buffers.reads(from, n, ty).unless_empty(n, ty),
            }
        };
        [<Allreduce $($c)?>] [<Iallreduce $($c)?>] [<Allreduce_init $($c)?>] (from: *const c_void, into: *mut c_void, n: $n, ty: MPI_Datatype, op: MPI_Op, comm: MPI_Comm) on comm:
            Flow::AllToAll, |_about| Buffers::new().reads(from, n, ty).writes(into, n, ty).unless_empty(n, ty);
        [<Scan $($c)?>] [<Iscan $($c)?>] [<Scan_init $($c)?>] (from: *const c_void, into: *mut c_void, n: $n, ty: MPI_Datatype, op: MPI_Op, comm: MPI_Comm) on comm:
            Flow::Chain, |_about| Buffers::new().reads(from, n, ty).writes(into, n, ty).unless_empty(n, ty);
        [<Exscan $($c)?>] [<Iexscan $($c)?>] [<Exscan_init $($c)?>] (from: *const c_void, into: *mut c_void, n: $n, ty: MPI_Datatype, op: MPI_Op, comm: MPI_Comm) on comm:
            Flow::Chain, |about| {
            let buffers = Buffers::new().reads(from, n, ty);
            // The first one's result is undefined, and its buffer not touched.
            let buffers = if about.rank == 0 { buffers } else { buffers.writes(into, n, ty) };
            buffers.unless_empty(n, ty)
        };
        [<Reduce_scatter $($c)?>] [<Ireduce_scatter $($c)?>] [<Reduce_scatter_init $($c)?>] (from: *const c_void, into: *mut c_void, counts: *const $n, ty: MPI_Datatype, op: MPI_Op, comm: MPI_Comm) on comm:
            Flow::scattered(about, counts, ty), |about| {
            let all = total(counts, about.size);
            // SAFETY: the program's array has as many elements as there are members.
            let mine: i64 = unsafe { *counts.add(about.rank.max(0) as usize) }.into();
            Buffers::new().reads(from, all, ty).writes(into, if in_place(from) { all } else { mine }, ty).unless_empty(all, ty)
        };
        [<Reduce_scatter_block $($c)?>] [<Ireduce_scatter_block $($c)?>] [<Reduce_scatter_block_init $($c)?>] (from: *const c_void, into: *mut c_void, n: $n, ty: MPI_Datatype, op: MPI_Op, comm: MPI_Comm) on comm:
            Flow::AllToAll, |about| {
            let blocks = if in_place(from) { about.size } else { 1 };
            Buffers::new().reads_of(about.size, from, n, ty).writes_of(blocks, into, n, ty).unless_empty(n, ty)
        };
        [<Gather $($c)?>] [<Igather $($c)?>] [<Gather_init $($c)?>] (from: *const c_void, n: $n, ty: MPI_Datatype, into: *mut c_void, m: $n, into_ty: MPI_Datatype, root: c_int, comm: MPI_Comm) on comm:
            Flow::AllToRoot(root), |about| {
            let buffers = Buffers::new();
            match (bystander(about, root), is_root(about, root)) {
                (true, _) => buffers.done(),
                (_, true) if about.inter => buffers.writes_of(about.peers, into, m, into_ty).unless_empty(m, into_ty),
                (_, true) => buffers.reads(from, n, ty).moves(about, from, into, m, into_ty, Kind::Write).unless_empty(m, into_ty),
                (_, false) => buffers.reads(from, n, ty).unless_empty(n, ty),
            }
        };
        [<Gatherv $($c)?>] [<Igatherv $($c)?>] [<Gatherv_init $($c)?>] (from: *const c_void, n: $n, ty: MPI_Datatype, into: *mut c_void, counts: *const $n, shifts: *const $d, into_ty: MPI_Datatype, root: c_int, comm: MPI_Comm) on comm:
            Flow::AllToRoot(root), |about| {
            let buffers = Buffers::new();
            match (bystander(about, root), is_root(about, root)) {
                (true, _) => buffers,
                (_, true) if about.inter => buffers.blocks(about.everybody(), into, counts, shifts, into_ty, Kind::Write),
                (_, true) => buffers.reads(from, n, ty).blocks(moved(about, from), into, counts, shifts, into_ty, Kind::Write),
                (_, false) => buffers.reads(from, n, ty),
            }.done()
        };
        [<Scatter $($c)?>] [<Iscatter $($c)?>] [<Scatter_init $($c)?>] (from: *const c_void, n: $n, ty: MPI_Datatype, into: *mut c_void, m: $n, into_ty: MPI_Datatype, root: c_int, comm: MPI_Comm) on comm:
            Flow::RootToAll(root), |about| {
            let buffers = Buffers::new();
            match (bystander(about, root), is_root(about, root)) {
                (true, _) => buffers.done(),
                (_, true) if about.inter => buffers.reads_of(about.peers, from, n, ty).unless_empty(n, ty),
                (_, true) => buffers.moves(about, into, from, n, ty, Kind::Read).writes(into, m, into_ty).unless_empty(n, ty),
                (_, false) => buffers.writes(into, m, into_ty).unless_empty(m, into_ty),
            }
        };
        [<Scatterv $($c)?>] [<Iscatterv $($c)?>] [<Scatterv_init $($c)?>] (from: *const c_void, counts: *const $n, shifts: *const $d, ty: MPI_Datatype, into: *mut c_void, m: $n, into_ty: MPI_Datatype, root: c_int, comm: MPI_Comm) on comm:
            Flow::RootToAll(root), |about| {
            let buffers = Buffers::new();
            match (bystander(about, root), is_root(about, root)) {
                (true, _) => buffers,
                (_, true) if about.inter => buffers.blocks(about.everybody(), from, counts, shifts, ty, Kind::Read),
                (_, true) => buffers.blocks(moved(about, into), from, counts, shifts, ty, Kind::Read).writes(into, m, into_ty),
                (_, false) => buffers.writes(into, m, into_ty),
            }.done()
        };
        [<Allgather $($c)?>] [<Iallgather $($c)?>] [<Allgather_init $($c)?>] (from: *const c_void, n: $n, ty: MPI_Datatype, into: *mut c_void, m: $n, into_ty: MPI_Datatype, comm: MPI_Comm) on comm:
            one_way(about, || (any(n, ty), any(m, into_ty))), |about| {
            let buffers = Buffers::new().reads(from, n, ty).moves(about, from, into, m, into_ty, Kind::Write);
            let buffers = if in_place(from) { buffers.each(&[about.rank.max(0) as usize], into, m, into_ty, Kind::Read) } else { buffers };
            if about.inter { buffers.done() } else { buffers.unless_empty(m, into_ty) }
        };
        [<Allgatherv $($c)?>] [<Iallgatherv $($c)?>] [<Allgatherv_init $($c)?>] (from: *const c_void, n: $n, ty: MPI_Datatype, into: *mut c_void, counts: *const $n, shifts: *const $d, into_ty: MPI_Datatype, comm: MPI_Comm) on comm:
            Flow::gathered(about, about.inter && any(n, ty), counts, into_ty), |about| {
            let buffers = Buffers::new().reads(from, n, ty).blocks(moved(about, from), into, counts, shifts, into_ty, Kind::Write);
            let own = in_place(from).then_some(about.rank.max(0) as usize);
            buffers.blocks(own, into, counts, shifts, into_ty, Kind::Read).done()
        };
        [<Alltoall $($c)?>] [<Ialltoall $($c)?>] [<Alltoall_init $($c)?>] (from: *const c_void, n: $n, ty: MPI_Datatype, into: *mut c_void, m: $n, into_ty: MPI_Datatype, comm: MPI_Comm) on comm:
            one_way(about, || (any(n, ty), any(m, into_ty))), |about| {
            let buffers = Buffers::new().reads_of(about.peers, from, n, ty).writes_of(about.peers, into, m, into_ty);
            if about.inter { buffers.done() } else { buffers.unless_empty(m, into_ty) }
        };
        [<Alltoallv $($c)?>] [<Ialltoallv $($c)?>] [<Alltoallv_init $($c)?>] (from: *const c_void, n: *const $n, at: *const $d, ty: MPI_Datatype, into: *mut c_void, m: *const $n, into_at: *const $d, into_ty: MPI_Datatype, comm: MPI_Comm) on comm:
            {
            let gets = counted(m, into_ty, about.everybody());
            let gives = if in_place(from) { gets.clone() } else { counted(n, ty, about.everybody()) };
            Flow::exchanged(about, comm, &gives, &gets)
        }, |about| {
            Buffers::new().blocks(about.everybody(), from, n, at, ty, Kind::Read).blocks(about.everybody(), into, m, into_at, into_ty, Kind::Write).done()
        };
        [<Alltoallw $($c)?>] [<Ialltoallw $($c)?>] [<Alltoallw_init $($c)?>] (from: *const c_void, n: *const $n, at: *const $d, ty: *const MPI_Datatype, into: *mut c_void, m: *const $n, into_at: *const $d, into_ty: *const MPI_Datatype, comm: MPI_Comm) on comm:
            {
            let gets = counted_each(m, into_ty, about.everybody());
            let gives = if in_place(from) { gets.clone() } else { counted_each(n, ty, about.everybody()) };
            Flow::exchanged(about, comm, &gives, &gets)
        }, |about| {
            Buffers::new().typed_blocks(about.everybody(), from, n, at, ty, Kind::Read).typed_blocks(about.everybody(), into, m, into_at, into_ty, Kind::Write).done()
        };
    } } };
}
counting! { c_int, c_int }
counting! { MPI_Count, i64, _c }
