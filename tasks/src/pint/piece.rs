//! A piece of a strand: what it accessed, where it stands in the task graph, and which memory ends its life with it.

use super::graph::Graph;
use super::queue::Weighs;
use crate::detector::{Access, SiteId, Touch};
use crate::order::Node;
use crate::rows::Row;
use crate::strand::coalesce;
use std::sync::Arc;
use thrille_history::Interval;

/// Memory that the program has given back, and that is not given out again before all that could have touched it is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Where it begins.
    pub address: u64,
    /// How long it is.
    pub len: u64,
}

/// What a strand has done to bytes, all in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accessed {
    /// Read, and not written.
    Read,
    /// Read, then written: the write stands for it in the history, but the read itself may race with what was before.
    Overwritten,
    /// Written.
    Written,
}

/// See the top of `piece.rs`. A strand may come in several pieces. Its lists are in few allocations: one thread makes them, another one gives them back.
#[derive(Debug)]
pub struct Piece {
    /// The graph that its strand is in.
    pub graph: Arc<Graph>,
    /// Its strand.
    pub strand: Node,
    /// What the caller wants to find again with a race.
    pub stamp: u64,
    /// Sites that no later piece has ([`super::Logs`]).
    pub done: Vec<SiteId>,
    /// What they stand for takes so much room.
    pub logged: usize,
    /// What it read, what it read before it wrote it, what it wrote.
    accesses: Vec<Access>,
    /// Where the second and the third of these begin.
    bounds: (usize, usize),
    /// What of the reads are rows, with the first access of each.
    pub rows: Vec<(Access, Row)>,
    /// Memory that is new, so many of them, and memory that is gone.
    intervals: Vec<Interval>,
    new: usize,
    /// Memory that was given back.
    pub freed: Vec<Block>,
}

impl Piece {
    /// Memory that others used for something else before: forgotten before the accesses.
    pub fn renewed(&self) -> &[Interval] {
        &self.intervals[..self.new]
    }

    /// Memory that is gone: forgotten behind the accesses.
    pub fn gone(&self) -> &[Interval] {
        &self.intervals[self.new..]
    }

    /// All that it accessed, but for rows.
    pub fn accesses(&self) -> &[Access] {
        &self.accesses
    }

    /// What of that it read, and did not write.
    pub fn reads(&self) -> &[Access] {
        &self.accesses[..self.bounds.0]
    }

    /// What of that it wrote.
    pub fn writes(&self) -> &[Access] {
        &self.accesses[self.bounds.1..]
    }
}

/// A piece takes more room than an access.
const EMPTY: usize = 8;
/// So many bytes that are given back only later take as much.
const GIVEN_BACK: u64 = 1024;

impl Weighs for Piece {
    fn weight(&self) -> usize {
        EMPTY
            + self.logged
            + self.intervals.len()
            + self.accesses.len()
            + self.rows.len()
            + self.freed.iter().map(|block| 1 + (block.len / GIVEN_BACK) as usize).sum::<usize>()
    }
}

/// A piece that is not finished.
#[derive(Debug, Default)]
pub struct Draft {
    /// What the strand has accessed, reads and writes, to be joined.
    pub accesses: Vec<Access>,
    /// What the strand read, and did not write.
    pub reads: Vec<Access>,
    /// As in [`Piece`].
    pub rows: Vec<(Access, Row)>,
    /// What it read before it wrote it.
    pub overwritten: Vec<Access>,
    /// What it wrote.
    pub writes: Vec<Access>,
    /// As in [`Piece`].
    pub stamp: u64,
    /// As in [`Piece`].
    pub done: Vec<SiteId>,
    /// As in [`Piece`].
    pub logged: usize,
    /// Memory that is new.
    pub renewed: Vec<Interval>,
    /// Memory that is gone.
    pub gone: Vec<Interval>,
    /// As in [`Piece`].
    pub freed: Vec<Block>,
}

impl Draft {
    /// Whether there is nothing to look at.
    pub fn is_empty(&self) -> bool {
        let lists = [&self.accesses, &self.reads, &self.overwritten, &self.writes];
        lists.iter().all(|list| list.is_empty())
            && self.rows.is_empty()
            && self.done.is_empty()
            && self.renewed.is_empty()
            && self.gone.is_empty()
            && self.freed.is_empty()
    }

    /// What is there, as a piece of this strand; accesses are joined where they touch. Only the stamp stays.
    pub fn finish(&mut self, graph: Arc<Graph>, strand: Node) -> Piece {
        /// The vectors stay with the thread, and the piece gets what it needs.
        fn taken<T: Copy, const N: usize>(lists: [&mut Vec<T>; N]) -> Vec<T> {
            let mut needed = Vec::with_capacity(lists.iter().map(|list| list.len()).sum());
            for list in lists {
                needed.append(list);
            }
            needed
        }
        coalesce(&mut self.accesses);
        let first_write = self.accesses.partition_point(|access| access.touch == Touch::Read);
        self.reads.extend(&self.accesses[..first_write]);
        self.writes.extend(&self.accesses[first_write..]);
        self.accesses.clear();
        let (reads, new) = (self.reads.len(), self.renewed.len());
        Piece {
            graph,
            strand,
            stamp: self.stamp,
            done: taken([&mut self.done]),
            logged: std::mem::take(&mut self.logged),
            bounds: (reads, reads + self.overwritten.len()),
            accesses: taken([&mut self.reads, &mut self.overwritten, &mut self.writes]),
            rows: taken([&mut self.rows]),
            new,
            intervals: taken([&mut self.renewed, &mut self.gone]),
            freed: taken([&mut self.freed]),
        }
    }
}
