//! Neighbourhood collectives: what a process did before comes before what its neighbours do after, neighbour by neighbour, as far as it gives them anything.

use crate::mpi::call::{Buffer, Call, SUCCESS, call, calls, has_ended};
use crate::mpi::collectives::{Buffers, begin};
use crate::mpi::comms;
use crate::mpi::flow::{any, any_at, any_typed_at};
use crate::mpi::p2p::Repeat;
use crate::mpi::requests::{self, Pending};
use mpi_sys::{MPI_Aint, MPI_Comm, MPI_Count, MPI_Datatype, MPI_Info, MPI_Request};
use std::ffi::{c_int, c_void};
use thrille_model::{Kind, Rank, Token};

/// The tag of neighbourhood collectives: no message has it.
const NEIGHBOUR: i64 = -3;

/// Who sends to this process and whom it sends to, as the topology has them.
#[derive(Default)]
pub struct Around {
    from: Vec<c_int>,
    to: Vec<c_int>,
}

impl Around {
    fn of(comm: MPI_Comm, rank: c_int) -> Self {
        let mut kind = 0;
        // SAFETY: asks about the handle that the program passes to the library, with variables and arrays of our own.
        unsafe {
            mpi_sys::PMPI_Topo_test(comm, &raw mut kind);
            if kind == mpi_sys::RSMPI_CART {
                let mut dims = 0;
                mpi_sys::PMPI_Cartdim_get(comm, &raw mut dims);
                let mut both = Vec::new();
                for d in 0..dims {
                    let (mut below, mut above) = (0, 0);
                    mpi_sys::PMPI_Cart_shift(comm, d, 1, &raw mut below, &raw mut above);
                    both.extend([below, above]);
                }
                Self { from: both.clone(), to: both }
            } else if kind == mpi_sys::RSMPI_GRAPH {
                let mut n = 0;
                mpi_sys::PMPI_Graph_neighbors_count(comm, rank, &raw mut n);
                let mut both = vec![0; n.max(0) as usize];
                mpi_sys::PMPI_Graph_neighbors(comm, rank, n, both.as_mut_ptr());
                Self { from: both.clone(), to: both }
            } else if kind == mpi_sys::RSMPI_DIST_GRAPH {
                let (mut n, mut m, mut weighted) = (0, 0, 0);
                mpi_sys::PMPI_Dist_graph_neighbors_count(comm, &raw mut n, &raw mut m, &raw mut weighted);
                let (mut from, mut to) = (vec![0; n.max(0) as usize], vec![0; m.max(0) as usize]);
                let (mut from_weights, mut to_weights) = (from.clone(), to.clone());
                mpi_sys::PMPI_Dist_graph_neighbors(
                    comm,
                    n,
                    from.as_mut_ptr(),
                    from_weights.as_mut_ptr(),
                    m,
                    to.as_mut_ptr(),
                    to_weights.as_mut_ptr(),
                );
                Self { from, to }
            } else {
                Self::default()
            }
        }
    }

    /// The places of those that send anything and of those that are sent anything: what belongs to none at the edge of a grid is neither read
    /// nor written.
    fn places(&self, counts: &Counts) -> Places {
        let there = |ranks: &[c_int], counts: &dyn Fn(usize) -> bool| {
            (0..ranks.len()).filter(|&i| ranks[i] != mpi_sys::MPI_PROC_NULL && counts(i)).collect()
        };
        Places { from: there(&self.from, counts.gets), to: there(&self.to, counts.gives) }
    }
}

/// Whether there is anything for and from the neighbour at a place.
struct Counts<'a> {
    gives: &'a dyn Fn(usize) -> bool,
    gets: &'a dyn Fn(usize) -> bool,
}

/// Places of neighbours in the arrays that have one for each.
struct Places {
    from: Vec<usize>,
    to: Vec<usize>,
}

/// Neighbours as processes, each once.
#[derive(Clone, Debug)]
struct Processes {
    from: Vec<Rank>,
    to: Vec<Rank>,
}

impl Processes {
    fn of(comm: MPI_Comm, around: &Around, places: &Places) -> Self {
        let processes = |ranks: &[c_int], places: &[usize]| -> Vec<Rank> {
            let mut all: Vec<Rank> = places.iter().filter_map(|&i| comms::peer(comm, ranks[i])).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        Self { from: processes(&around.from, &places.from), to: processes(&around.to, &places.to) }
    }

    /// The tokens that this process releases and acquires in a collective.
    fn tokens(&self, me: Rank, group: u64, seq: u64) -> (Vec<Token>, Vec<Token>) {
        let token = |from, to| Token::Message { group, from, to, tag: NEIGHBOUR, seq };
        let releases = self.to.iter().map(|&to| token(me, to)).collect();
        let acquires = self.from.iter().map(|&from| token(from, me)).collect();
        (releases, acquires)
    }
}

/// The tokens of the next one.
fn tokens(call: &Call, comm: MPI_Comm, around: &Around, places: &Places) -> (Vec<Token>, Vec<Token>) {
    let Some(Token::Collective { group, seq }) = comms::next_collective(comm) else { return (Vec::new(), Vec::new()) };
    Processes::of(comm, around, places).tokens(call.me(), group, seq)
}

/// One begins.
fn start(call: &mut Call, (releases, acquires): (Vec<Token>, Vec<Token>), buffers: &[Buffer]) -> Pending {
    for token in releases {
        call.release(token);
    }
    let mut pending = Pending { tokens: acquires, ..Pending::default() };
    begin(call, buffers, &mut pending);
    pending
}

/// A persistent one.
#[derive(Clone, Debug)]
pub struct Recurring {
    processes: Processes,
    group: u64,
    buffers: Vec<Buffer>,
}

/// It is started for the n-th time.
pub fn again(call: &mut Call, recurring: &Recurring, n: u64) -> Pending {
    let tokens = recurring.processes.tokens(call.me(), recurring.group, n);
    start(call, tokens, &recurring.buffers)
}

fn persistent(
    comm: MPI_Comm,
    counts: &Counts,
    buffers: impl FnOnce(Vec<usize>, Vec<usize>) -> Option<Vec<Buffer>>,
    request: *mut MPI_Request,
    real: impl FnOnce() -> c_int,
) -> c_int {
    let call = call();
    let result = real();
    if call.is_some()
        && result == SUCCESS
        && let Some(about) = comms::about(comm)
        && let Some(group) = comms::recurring(comm)
    {
        let around = Around::of(comm, about.rank);
        let places = around.places(counts);
        let processes = Processes::of(comm, &around, &places);
        let buffers = buffers(places.from, places.to).unwrap_or_default();
        let recurring = Recurring { processes, group, buffers };
        requests::persist(request, Repeat::Neighbours(recurring));
    }
    result
}

fn blocking(
    comm: MPI_Comm,
    counts: &Counts,
    buffers: impl FnOnce(Vec<usize>, Vec<usize>) -> Option<Vec<Buffer>>,
    real: impl FnOnce() -> c_int,
) -> c_int {
    let Some(mut call) = call() else { return real() };
    let Some(about) = comms::about(comm) else { return real() };
    let around = Around::of(comm, about.rank);
    let places = around.places(counts);
    let (releases, acquires) = tokens(&call, comm, &around, &places);
    let buffers = buffers(places.from, places.to).unwrap_or_default();
    buffers.iter().filter(|b| b.kind == Kind::Read).for_each(|b| call.touch(b));
    for token in releases {
        call.release(token);
    }
    buffers.iter().filter(|b| b.kind != Kind::Read).for_each(|b| call.touch(b));
    let result = real();
    comms::counts(comm, result);
    if has_ended(result) {
        for token in acquires {
            call.hear(token);
        }
    }
    result
}

fn nonblocking(
    comm: MPI_Comm,
    counts: &Counts,
    buffers: impl FnOnce(Vec<usize>, Vec<usize>) -> Option<Vec<Buffer>>,
    request: *mut MPI_Request,
    real: impl FnOnce() -> c_int,
) -> c_int {
    let Some(mut call) = call() else { return real() };
    let Some(about) = comms::about(comm) else { return real() };
    let around = Around::of(comm, about.rank);
    let places = around.places(counts);
    let tokens = tokens(&call, comm, &around, &places);
    let buffers = buffers(places.from, places.to).unwrap_or_default();
    let pending = start(&mut call, tokens, &buffers);
    let result = real();
    comms::counts(comm, result);
    requests::begun(&mut call, request, pending, result);
    result
}

// SAFETY (all rows): each body forwards the program's own arguments.
macro_rules! rows {
    ($( $name:ident $nonblocking:ident $persistent:ident ( $($arg:ident : $ty:ty),* ) on $comm:ident : gives |$i:ident| $gives:expr, gets |$j:ident| $gets:expr, |$from:ident, $to:ident| $buffers:expr; )*) => { calls! { $(
        fn $name($($arg: $ty),*), real => {
            blocking($comm, &Counts { gives: &|$i| $gives, gets: &|$j| $gets }, |$from, $to| $buffers, real)
        }
        fn $nonblocking($($arg: $ty,)* request: *mut MPI_Request), real => {
            nonblocking($comm, &Counts { gives: &|$i| $gives, gets: &|$j| $gets }, |$from, $to| $buffers, request, real)
        }
        fn $persistent($($arg: $ty,)* info: MPI_Info, request: *mut MPI_Request), real => {
            persistent($comm, &Counts { gives: &|$i| $gives, gets: &|$j| $gets }, |$from, $to| $buffers, request, real)
        }
    )* } };
}

/// As for the other collectives.
macro_rules! counting {
    ($n:ty, $d:ty $(, $c:ident)?) => { pastey::paste! { rows! {
        [<Neighbor_allgather $($c)?>] [<Ineighbor_allgather $($c)?>] [<Neighbor_allgather_init $($c)?>] (at: *const c_void, n: $n, ty: MPI_Datatype, into: *mut c_void, m: $n, into_ty: MPI_Datatype, comm: MPI_Comm) on comm:
            gives |_i| any(n, ty), gets |_i| any(m, into_ty),
            |from, _to| Buffers::new().reads(at, n, ty).each(&from, into, m, into_ty, Kind::Write).done();
        [<Neighbor_allgatherv $($c)?>] [<Ineighbor_allgatherv $($c)?>] [<Neighbor_allgatherv_init $($c)?>] (at: *const c_void, n: $n, ty: MPI_Datatype, into: *mut c_void, m: *const $n, shifts: *const $d, into_ty: MPI_Datatype, comm: MPI_Comm) on comm:
            gives |_i| any(n, ty), gets |i| any_at(m, into_ty, i),
            |from, _to| Buffers::new().reads(at, n, ty).blocks(from, into, m, shifts, into_ty, Kind::Write).done();
        [<Neighbor_alltoall $($c)?>] [<Ineighbor_alltoall $($c)?>] [<Neighbor_alltoall_init $($c)?>] (at: *const c_void, n: $n, ty: MPI_Datatype, into: *mut c_void, m: $n, into_ty: MPI_Datatype, comm: MPI_Comm) on comm:
            gives |_i| any(n, ty), gets |_i| any(m, into_ty),
            |from, to| Buffers::new().each(&to, at, n, ty, Kind::Read).each(&from, into, m, into_ty, Kind::Write).done();
        [<Neighbor_alltoallv $($c)?>] [<Ineighbor_alltoallv $($c)?>] [<Neighbor_alltoallv_init $($c)?>] (at: *const c_void, n: *const $n, shifts: *const $d, ty: MPI_Datatype, into: *mut c_void, m: *const $n, into_shifts: *const $d, into_ty: MPI_Datatype, comm: MPI_Comm) on comm:
            gives |i| any_at(n, ty, i), gets |i| any_at(m, into_ty, i),
            |from, to| Buffers::new().blocks(to, at, n, shifts, ty, Kind::Read).blocks(from, into, m, into_shifts, into_ty, Kind::Write).done();
        [<Neighbor_alltoallw $($c)?>] [<Ineighbor_alltoallw $($c)?>] [<Neighbor_alltoallw_init $($c)?>] (at: *const c_void, n: *const $n, shifts: *const MPI_Aint, types: *const MPI_Datatype, into: *mut c_void, m: *const $n, into_shifts: *const MPI_Aint, into_types: *const MPI_Datatype, comm: MPI_Comm) on comm:
            gives |i| any_typed_at(n, types, i), gets |i| any_typed_at(m, into_types, i),
            |from, to| Buffers::new().typed_blocks(to, at, n, shifts, types, Kind::Read).typed_blocks(from, into, m, into_shifts, into_types, Kind::Write).done();
    } } };
}
counting! { c_int, c_int }
counting! { MPI_Count, i64, _c }
