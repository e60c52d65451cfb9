//! Whose doings before a collective come before whose after it.
//!
//! | flow | calls |
//! |---|---|
//! | all to all | barrier, allreduce, allgather, alltoall, `reduce_scatter` |
//! | root to all | bcast, scatter |
//! | all to root | reduce, gather |
//! | each to those behind it | scan, exscan |
//! | who gives to who gets | allgatherv, `reduce_scatter`, where some counts are zero: all members know them |
//! | pair by pair | alltoallv, alltoallw: each member knows its own counts alone |
//!
//! What is all to all within one group is between the two of an intercommunicator: each group comes after the other, and nobody after others of its own.

use crate::last::inside;
use crate::mpi::call::Buffer;
use crate::mpi::comms::{self, About};
use crate::mpi::datatypes::layout;
use mpi_sys::{MPI_Comm, MPI_Datatype};
use std::ffi::c_int;
use std::ops::Range;
use thrille_model::{Kind, Rank, Token};

/// Who comes before whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flow {
    AllToAll,
    RootToAll(c_int),
    AllToRoot(c_int),
    /// By rank.
    Chain,
    /// Who gives something before who gets something: whether this process does.
    GiversToGetters {
        gives: bool,
        gets: bool,
    },
    /// Pair by pair: those that this process gives something to, and those that it gets something from.
    Pairs {
        to: Vec<Rank>,
        from: Vec<Rank>,
    },
}

/// The tag of what goes from one to another in collectives: no message has it.
const PAIR: i64 = -4;

/// What this process does.
#[derive(Default)]
pub struct Part {
    pub releases: Vec<Token>,
    pub acquires: Vec<Token>,
}

/// The token of the link of a chain behind this rank, or of one of two groups.
pub fn link(group: u64, seq: u64, rank: c_int) -> Token {
    // Links of one collective differ in the group: its own hash, stirred by the rank.
    let stirred = (rank as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 2;
    Token::Collective { group: group ^ stirred, seq }
}

/// Whether this process is the root; in an intercommunicator the root's own group takes no part, but for the root itself.
pub fn is_root(about: &About, root: c_int) -> bool {
    if about.inter { root == mpi_sys::MPI_ROOT } else { root == about.rank }
}

pub fn bystander(about: &About, root: c_int) -> bool {
    about.inter && root == mpi_sys::MPI_PROC_NULL
}

impl Part {
    /// In one collective.
    pub fn of(flow: &Flow, about: &About, token: Token, buffers: &[Buffer], me: Rank) -> Self {
        let Token::Collective { group, seq } = token else { return Self::default() };
        let uses = |written: bool| buffers.iter().any(|buffer| (buffer.kind != Kind::Read) == written);
        let list = |does: bool, token: Token| if does { vec![token] } else { Vec::new() };
        let (releases, acquires) = match *flow {
            Flow::AllToAll | Flow::GiversToGetters { .. } if about.inter => {
                let (gives, gets) = flow.ends();
                return Self {
                    releases: list(gives, link(group, seq, about.side)),
                    acquires: list(gets, link(group, seq, 1 - about.side)),
                };
            }
            Flow::AllToAll | Flow::GiversToGetters { .. } => flow.ends(),
            Flow::Pairs { ref to, ref from } => {
                let token = |from, to| Token::Message { group, from, to, tag: PAIR, seq };
                let releases = to.iter().map(|&to| token(me, to)).collect();
                return Self { releases, acquires: from.iter().map(|&from| token(from, me)).collect() };
            }
            Flow::RootToAll(root) if bystander(about, root) => (false, false),
            Flow::AllToRoot(root) if bystander(about, root) => (false, false),
            // Whose part is empty waits for nobody, and nobody for it.
            Flow::RootToAll(root) => (is_root(about, root), !is_root(about, root) && uses(true)),
            Flow::AllToRoot(root) => (!is_root(about, root) && uses(false), is_root(about, root)),
            Flow::Chain => {
                let (rank, last) = (about.rank, about.size - 1);
                return Self {
                    releases: (rank < last).then(|| link(group, seq, rank)).into_iter().collect(),
                    acquires: (rank > 0).then(|| link(group, seq, rank - 1)).into_iter().collect(),
                };
            }
        };
        Self { releases: list(releases, token), acquires: list(acquires, token) }
    }
}

impl Flow {
    /// Whether this process gives and gets, where that is all there is to know.
    fn ends(&self) -> (bool, bool) {
        match *self {
            Self::GiversToGetters { gives, gets } => (gives, gets),
            _ => (true, true),
        }
    }

    /// Of what is gathered everywhere by these counts, the same ones at all.
    pub fn gathered<N: Copy + Into<i64>>(about: &About, gives: bool, counts: *const N, ty: MPI_Datatype) -> Self {
        let counts = counted(counts, ty, about.everybody());
        let gives = if about.inter { gives } else { counts[about.rank.max(0) as usize] };
        Self::between(gives && !counts.contains(&false), gives, counts.contains(&true))
    }

    /// Of a reduction whose result is scattered by these counts: each part of it is of all.
    pub fn scattered<N: Copy + Into<i64>>(about: &About, counts: *const N, ty: MPI_Datatype) -> Self {
        let counts = counted(counts, ty, 0..about.size.max(0) as usize);
        Self::between(!counts.contains(&false), counts.contains(&true), counts[about.rank.max(0) as usize])
    }

    fn between(all: bool, gives: bool, gets: bool) -> Self {
        if all { Self::AllToAll } else { Self::GiversToGetters { gives, gets } }
    }

    /// Of an exchange, given for each whether this process gives it and gets from it anything.
    pub fn exchanged(about: &About, comm: MPI_Comm, gives: &[bool], gets: &[bool]) -> Self {
        let others = |there: &[bool]| {
            let ranks = (0..).zip(there).filter(|&(rank, &there)| there && (about.inter || rank != about.rank));
            ranks.filter_map(|(rank, _)| comms::peer(comm, rank)).collect()
        };
        Self::Pairs { to: others(gives), from: others(gets) }
    }

    /// What it is once all members of a communicator of everybody have said what they know of it.
    pub fn agreed(self, about: &About, comm: MPI_Comm) -> Self {
        let Self::Pairs { to, from } = &self else { return self };
        let others = about.peers.max(1) as usize - 1;
        let (mine, mut all) = (i32::from((to.len(), from.len()) == (others, others)), 0);
        // SAFETY: all members of the communicator are here, with one number each.
        inside(|| unsafe {
            let (ty, op) = (mpi_sys::RSMPI_INT32_T, mpi_sys::RSMPI_MIN);
            mpi_sys::PMPI_Allreduce((&raw const mine).cast(), (&raw mut all).cast(), 1, ty, op, comm);
        });
        if all != 0 { Self::AllToAll } else { self }
    }
}

/// Whether there is anything in so many elements of a type.
pub fn any(count: impl Into<i64>, ty: MPI_Datatype) -> bool {
    count.into() > 0 && layout(ty).size > 0
}

/// The same for the member at a place.
pub fn any_at<N: Copy + Into<i64>>(counts: *const N, ty: MPI_Datatype, place: usize) -> bool {
    // SAFETY: the program's array has as many elements as there are members.
    any(unsafe { *counts.add(place) }, ty)
}

/// The same where each has a type of its own.
pub fn any_typed_at<N: Copy + Into<i64>>(counts: *const N, types: *const MPI_Datatype, place: usize) -> bool {
    // SAFETY: as above.
    any_at(counts, unsafe { *types.add(place) }, place)
}

/// The same for each of these.
pub fn counted<N: Copy + Into<i64>>(counts: *const N, ty: MPI_Datatype, members: Range<usize>) -> Vec<bool> {
    members.map(|i| any_at(counts, ty, i)).collect()
}

/// The same for each of these, where each has a type of its own.
pub fn counted_each<N: Copy + Into<i64>>(
    counts: *const N,
    types: *const MPI_Datatype,
    members: Range<usize>,
) -> Vec<bool> {
    members.map(|i| any_typed_at(counts, types, i)).collect()
}
